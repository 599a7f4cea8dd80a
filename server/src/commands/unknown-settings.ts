// Settings that nothing reads: a misspelt one would be passed over without a word, and its default would hold. Pure.
import { SETTINGS } from '../config.ts'

export type UnknownSetting = {
  readonly name: string
  /** The setting it most likely stands for; null where none is near. */
  readonly meant: string | null
}

const PREFIX = 'BELLWETHER_'

/** Not ours to read, and rightly there: the two of the examples in /docs, and the browser of the journeys. */
const OF_OTHERS = ['BELLWETHER_URL', 'BELLWETHER_KEY', 'BELLWETHER_BROWSER']

/** Kubernetes tells every pod of each service in this way; one that is called like us gives names like ours. */
const OF_KUBERNETES =
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/

/** Another program's variable is nobody's slip: without our beginning it must be all but the name of a setting. */
const SLIPS = 2

export function findUnknownSettings(names: readonly string[]): UnknownSetting[] {
  return names.flatMap(name => {
    if (OF_OTHERS.includes(name) || OF_KUBERNETES.test(name)) return []
    const { setting, slips } = nearest(name.toUpperCase())
    if (!name.toUpperCase().startsWith(PREFIX)) {
      return slips <= SLIPS && setting.startsWith(PREFIX) ? [{ name, meant: setting }] : []
    }
    const bearable = Math.max(SLIPS, Math.floor((name.length - PREFIX.length) / 3))
    return [{ name, meant: slips <= bearable ? setting : null }]
  })
}

/** Also where ours has no such beginning (`HOST`), or cannot come by file. */
function nearest(name: string): { setting: string; slips: number } {
  const readings = new Set([name, name.replace(/_FILE$/, '')])
  for (const one of [...readings])
    if (one.startsWith(PREFIX)) readings.add(one.slice(PREFIX.length))
  let best = { setting: '', slips: Number.POSITIVE_INFINITY }
  for (const setting of SETTINGS) {
    for (const one of readings) {
      if (Math.abs(one.length - setting.length) >= best.slips) continue
      const slips = countSlips(one, setting)
      if (slips < best.slips) best = { setting, slips }
    }
  }
  return best
}

/** How many letters are to be put in, taken out or replaced to come from one to the other. */
function countSlips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const replaced = row[j]! + (letter === to[j] ? 0 : 1)
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
