// Builds the dashboard into dist/: beside it first and then in one move, so that a half-made one is never served.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { putInPlace } from './put-in-place.ts'

const [, , fingerprint = ''] = process.argv
const root = fileURLToPath(new URL('.', import.meta.url))
const made = join(root, `dist.${process.pid}`)

// Whoever starts it, what is served is never the slow build for developers.
env.NODE_ENV = 'production'

try {
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: made },
  })
  packFiles(join(made, 'assets'))
  writeFileSync(join(made, 'sources.sha256'), fingerprint)
  putInPlace(made, join(root, 'dist'))
} finally {
  rmSync(made, { recursive: true, force: true })
}

function packFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/\.(?:js|css|svg)$/.test(name)) continue
    const packed = gzipSync(readFileSync(join(folder, name)), {
      level: constants.Z_BEST_COMPRESSION,
    })
    writeFileSync(join(folder, `${name}.gz`), packed)
  }
}
