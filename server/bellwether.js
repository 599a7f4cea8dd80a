// Plain JavaScript on purpose: it must run on an old Node to say that the Node is too old.
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `bellwether needs Node 24 or newer, this is ${process.version}. Run it through npm (npm start, npm run bellwether): npm ci installs a fitting Node.`,
  )
  process.exit(1)
}
// Stripped types and compiled code are kept, which halves the time to start; where that folder cannot
// be written, they are made anew.
const { enableCompileCache } = await import('node:module')
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/bellwether', import.meta.url)))
await import('./src/main.ts')
