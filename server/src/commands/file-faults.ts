// What is wrong with the file an operator named, in words that say what to do about it.
import { dirname } from 'node:path'

type Say = (path: string, folder: string) => string
type Words = Readonly<Record<string, Say>>

const EITHER: Words = {
  ENAMETOOLONG: path => `the name ${path} is too long`,
  ELOOP: path => `the links on the way to ${path} lead in a circle`,
}

const READING: Words = {
  ...EITHER,
  ENOENT: path => `there is no file ${path}`,
  ENOTDIR: path => `there is no file ${path}`,
  EISDIR: path => `${path} is a folder, not a backup`,
  EACCES: path => `this user may not read ${path}`,
  EPERM: path => `this user may not read ${path}`,
}

const WRITING: Words = {
  ...EITHER,
  ENOENT: (_path, folder) => `there is no folder ${folder}: make it first`,
  ENOTDIR: (_path, folder) => `${folder} is not a folder`,
  EACCES: (_path, folder) => `this user may not write in ${folder}`,
  EPERM: (_path, folder) => `this user may not write in ${folder}`,
  EROFS: (_path, folder) => `${folder} is read-only`,
  ENOSPC: (_path, folder) => `the disk of ${folder} is full`,
  EDQUOT: (_path, folder) => `this user's part of the disk of ${folder} is used up`,
  EFBIG: path => `${path} would be larger than a file may be there`,
}

/** Null of what is no fault of the file; that of a socket may bear the same code. */
export function sayFileFault(
  error: NodeJS.ErrnoException,
  path: string,
  doing: 'reading' | 'writing',
): string | null {
  const words = doing === 'reading' ? READING : WRITING
  const say = error.syscall === 'connect' ? undefined : words[error.code ?? '']
  return say?.(path, dirname(path)) ?? null
}
