// What the fuzzer has seen: ids and addresses of its own tenant from answers, and those of the tenant it must not see.
import { pick, type Random } from '../server/src/demo/random.ts'
import type { FuzzAnswer } from './judge.ts'
import type { Operation } from './operations.ts'
import { kindOf, type Pools } from './requests.ts'

const MOST = 60

export type Known = Pools & {
  learn(operation: Operation, answer: FuzzAnswer, random: Random): void
  learnForeign(kind: string, value: string): void
  readonly foreignValues: () => string[]
}

type Seen = Map<string, string[]>

export function createPools(): Known {
  const [own, foreign]: [Seen, Seen] = [new Map(), new Map()]
  const add = (seen: Seen, kind: string, value: unknown, random?: Random) => {
    if (typeof value !== 'string') return
    const list = seen.get(kind) ?? []
    seen.set(kind, list)
    if (list.length < MOST) list.push(value)
    else if (random) list[Math.floor(random() * MOST)] = value
  }
  const some = (seen: Seen, kind: string, random: Random) => {
    const list = seen.get(kind) ?? []
    return list.length === 0 ? 'none' : pick(random, list)
  }
  return {
    own: (kind, random) => some(own, kind, random),
    foreign: (kind, random) => some(foreign, kind, random),
    learnForeign: (kind, value) => add(foreign, kind, value),
    foreignValues: () => [...foreign.values()].flat(),
    learn: (operation, answer, random) => {
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      if (answer.status > 299 || !isJson || !answer.body.startsWith('{')) return
      const kind = subjectOf(operation.path)
      for (const thing of thingsIn(JSON.parse(answer.body))) {
        add(own, kind, thing.id ?? thing.client_id, random)
        add(own, 'job_id', thing.job_id, random)
        if (kind === 'employees') add(own, 'email', thing.email, random)
      }
    },
  }
}

/** What an operation's answer is about: the last word of its path that is no parameter. */
function subjectOf(path: string): string {
  if (path.endsWith('/recover')) return 'recovery_id'
  if (path.endsWith('/test')) return 'deliveries'
  return kindOf(path, 'id')
}

function thingsIn(body: Record<string, unknown>): Record<string, unknown>[] {
  const { data } = body
  const list = Array.isArray(data) ? data : [body]
  return list.filter(one => typeof one === 'object' && one !== null)
}
