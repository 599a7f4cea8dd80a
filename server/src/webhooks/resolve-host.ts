// Finds the addresses of a host without the thread pool, so that one slow name server cannot hold up other lookups.
import { lookup, Resolver } from 'node:dns/promises'
import { createPatientGate } from '../platform/fair-gate.ts'

export type Address = { address: string; family: number }
export type ResolveHost = (hostname: string) => Promise<Address[]>

const QUERY = { timeout: 700, tries: 2 }
/** The system's own lookup blocks a thread of a pool of four; the rest stay free. */
const MOST_SYSTEM_LOOKUPS = 2
const MOST_WAITING = 100

/** Asks the name servers; what they do not know may stand in the hosts file. */
export function createResolver(): ResolveHost {
  const resolver = new Resolver(QUERY)
  const system = createSystemLookup()
  return async hostname => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    const [v4, v6] = answers.map(one => (one.status === 'fulfilled' ? one.value : []))
    const found = [...as(4, v4), ...as(6, v6)]
    return found.length > 0 ? found : system(hostname)
  }
}

function as(family: number, addresses: readonly string[] = []): Address[] {
  return addresses.map(address => ({ address, family }))
}

function createSystemLookup(): ResolveHost {
  const gate = createPatientGate(MOST_SYSTEM_LOOKUPS)
  let asked = 0
  return async hostname => {
    if (asked >= MOST_SYSTEM_LOOKUPS + MOST_WAITING)
      throw Object.assign(new Error('busy'), { code: 'EAI_AGAIN' })
    asked += 1
    try {
      return await gate('', () => lookup(hostname, { all: true, order: 'verbatim' }))
    } finally {
      asked -= 1
    }
  }
}
