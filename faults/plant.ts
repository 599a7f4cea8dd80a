// Loaded before a service of the fault tests: puts one planted bug into the text of the file it belongs to.
import { registerHooks } from 'node:module'
import { PLANTS, plantInto } from './plants.ts'

const { plant } = JSON.parse(process.argv[2]!) as { plant: string }
const planted = PLANTS[plant]
if (!planted) throw new Error(`no planted bug is called ${plant}`)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const edits = planted.edits.filter(edit => url.endsWith(edit.file))
    if (edits.length === 0) return loaded
    const source = edits.reduce((text, edit) => plantInto(edit, text), String(loaded.source))
    return { ...loaded, source }
  },
})
