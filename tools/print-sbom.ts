// `npm run sbom`: the bill of materials on stdout, without a network.
import { readFileSync } from 'node:fs'
import { type Lock, printSbom } from './sbom.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const { name, version } = read('../package.json') as { name: string; version: string }
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  console.error(`sbom: the output could not be written (${code})`)
  process.exitCode = 1
})
process.stdout.write(printSbom(read('../package-lock.json') as Lock, { name, version }))
