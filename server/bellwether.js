// Plain JavaScript on purpose: it must run on an old Node to say that the Node is too old.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `bellwether needs Node 24 or newer, this is ${process.version}. Run it through npm (npm start, npm run bellwether): npm ci installs a fitting Node.`,
  )
  process.exit(1)
}
await import('./src/main.ts')
