// A small disk of its own for the database, that can be filled to the last byte and freed again.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type Disk = {
  readonly folder: string
  /** Null: it can be filled; else why it cannot. */
  readonly refusal: string | null
  fill(): void
  free(): void
  close(): void
}

const CHUNK = Buffer.alloc(1024 * 1024)

/** Mounting takes root; without it the database lies in an ordinary folder and its disk is not filled. */
export function openDisk(folder: string, megabytes: number): Disk {
  const place = join(folder, 'disk')
  const ballast = join(place, 'ballast')
  mkdirSync(place, { recursive: true })
  const { status, stderr, error } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', place],
    { encoding: 'utf8' },
  )
  const isMounted = status === 0
  return {
    folder: place,
    refusal: isMounted ? null : (error?.message ?? stderr.trim().split('\n')[0] ?? 'no mount'),
    fill: () => {
      if (isMounted) fillWith(ballast)
    },
    free: () => rmSync(ballast, { force: true }),
    close: () => {
      if (isMounted) spawnSync('umount', ['-l', place])
    },
  }
}

function fillWith(file: string): void {
  const to = openSync(file, 'a')
  try {
    for (let size = CHUNK.length; size >= 1; ) {
      try {
        while (writeSync(to, CHUNK, 0, size) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
      size = Math.floor(size / 16)
    }
  } finally {
    closeSync(to)
  }
}
