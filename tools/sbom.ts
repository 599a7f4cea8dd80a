// The bill of materials in CycloneDX, read from the lock file alone, and what the lock file must promise.

export type LockEntry = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly link?: boolean
}

export type Lock = { readonly packages: Readonly<Record<string, LockEntry>> }

type Component = Readonly<Record<string, unknown>> & { name: string; version: string }

/** Linked into the binaries of the embedded PostgreSQL, which no lock file knows of. */
const INSIDE_POSTGRES: readonly (Component & { why: string })[] = [
  { type: 'application', name: 'postgresql', version: '18.4', why: 'the embedded database' },
  {
    type: 'library',
    name: 'openssl',
    version: '1.1.1',
    why: 'linked, unused: unix socket only, ssl=off',
  },
  {
    type: 'library',
    name: 'icu',
    version: '60.2',
    why: 'linked, unused: the builtin locale provider',
  },
]

export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

export function listComponents({ packages }: Lock): Component[] {
  const own = Object.entries(packages).filter(([place]) => place.includes('node_modules/'))
  const listed = own.map(([place, entry]) => {
    const [name, version] = [nameOf(place), entry.version ?? '']
    const [algorithm, digest = ''] = (entry.integrity ?? '').split('-')
    return {
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      scope: entry.dev ? 'excluded' : entry.optional ? 'optional' : 'required',
      ...(entry.license ? { licenses: [{ license: { id: entry.license } }] } : {}),
      ...(algorithm === 'sha512'
        ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
        : {}),
    }
  })
  const unique = new Map<string, Component>(listed.map(one => [one.purl, one]))
  const inside = INSIDE_POSTGRES.map(({ why, ...one }) => ({ ...one, description: why }))
  return [...unique.values(), ...inside].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ name, version }: Component) => `${name} ${version}`

/** The same bytes for the same lock file: no serial number, no time. */
export function printSbom(lock: Lock, self: { name: string; version: string }): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...self } },
    components: listComponents(lock),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** What could be swapped unseen, or runs before anybody has looked at it. */
export function judgeLock({ packages }: Lock): string[] {
  return Object.entries(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && !link)
    .flatMap(([place, { integrity, resolved }]) => {
      const faults: string[] = []
      if (!integrity?.startsWith('sha512-')) faults.push(`${place} has no SHA-512`)
      if (resolved !== undefined && !/^https:\/\/[\w.-]+\/.*\.tgz$/.test(resolved)) {
        faults.push(`${place} does not come from a registry`)
      }
      return faults
    })
}
