// npm run overload: twice what the service can do is asked of it. It goes on working, says no at once, and recovers.
import { createRandom } from '../server/src/demo/random.ts'
import { MOST_WAIT_MS } from '../server/src/platform/fair-gate.ts'
import { check, showChecks } from './checks.ts'
import { giveKey, newEvent, openCompany } from './company.ts'
import { fillCompany } from './fill-company.ts'
import { getRequest, postRequest, putLoad, type Target } from './load.ts'
import { type Answered, isGood, isRefused, sendPaced, slowest } from './open-loop.ts'
import { startService } from './processes.ts'

const TIMES = 2
const OVERLOADED_SECONDS = 60
const BESIDE_RATE = 20
const FLOOD_LINES = 64
/** Later than this an answer is of no use to most callers: the bound the service sets itself. */
const FINE_MS = MOST_WAIT_MS

const random = createRandom(21)
const size = { employees: 10_000, events: 50_000 }
const { stage, company } = await openCompany(size)
const other = await fillCompany(stage.context, { employees: 100, events: 500 }, Date.now())
const otherKey = await giveKey(stage.context, other)
const service = await startService(stage, ['serve'])
const { target } = service
const event = () => postRequest('/v1/events', company.key, newEvent(random, company))
const beside = () =>
  random() < 0.5
    ? getRequest('/v1/scores/summary', otherKey)
    : postRequest('/v1/events', otherKey, newEvent(random, { ...company, employees: 100 }))
const say = (text: string) => console.error(`  ${text}`)

say('what it can do')
await putLoad([target], { connections: 128, seconds: 6, next: event })
const closed = await putLoad([target], { connections: 128, seconds: 10, next: event })
const capacity = closed.ok / closed.seconds

say('half of that')
const [usual, usualBeside] = await Promise.all([
  sendPaced({ target, rate: capacity / 2, seconds: 10, next: event }),
  sendPaced({ target, rate: BESIDE_RATE, seconds: 10, next: beside }),
])

say(`${TIMES} times that, for ${OVERLOADED_SECONDS} s, and a second tenant beside it`)
const [much, muchBeside] = await Promise.all([
  sendPaced({ target, rate: capacity * TIMES, seconds: OVERLOADED_SECONDS, next: event }),
  sendPaced({ target, rate: BESIDE_RATE, seconds: OVERLOADED_SECONDS, next: beside }),
])

say('half again')
const after = await sendPaced({ target, rate: capacity / 2, seconds: 15, next: event })

say('half, and a flood of logins')
const [flooded, logins] = await Promise.all([
  sendPaced({ target, rate: capacity / 2, seconds: 20, next: event }),
  putLoad([target], { connections: FLOOD_LINES, seconds: 20, next: () => login(target) }),
])
await service.stop()
await stage.close()

const goodput = much.filter(isGood).length / OVERLOADED_SECONDS
const all = [...usual, ...usualBeside, ...much, ...muchBeside, ...after, ...flooded]
const others = all.filter(one => !isGood(one) && !isRefused(one))
const recovered = secondsToNormal(after, Math.max(100, 3 * slowest(usual, 0.99)))
showChecks(`overload (capacity ${Math.round(capacity)} events/s)`, [
  check('goodput is at least 0.7 of the capacity', goodput / capacity >= 0.7, goodput / capacity),
  check('the rest is refused', much.filter(isRefused).length > 0, much.filter(isRefused).length),
  p99('refusals p99 at most 250 ms', much.filter(isRefused), 250),
  check('2xx, or 429 or 503 with Retry-After, and nothing else', others.length === 0, tell(others)),
  check('normal within 10 s', recovered <= 10, recovered),
  check('the second tenant is served whole', muchBeside.every(isGood), tell(muchBeside)),
  p99(`the second tenant p99 at most ${FINE_MS} ms`, muchBeside, FINE_MS),
  check('a flood of logins refuses no event', flooded.every(isGood), tell(flooded)),
  p99(`p99 of events during it at most ${FINE_MS} ms`, flooded, FINE_MS),
  check(
    'logins were answered',
    logins.ok + logins.refused.length > 0,
    logins.ok + logins.refused.length,
  ),
])

function p99(name: string, answers: readonly Answered[], most: number) {
  const measured = slowest(answers, 0.99)
  return check(name, measured <= most, measured)
}

/** How often each status came. */
function tell(answers: readonly Answered[]): string {
  const counts = Object.entries(Object.groupBy(answers, one => one.status))
  return counts.map(([status, list]) => `${list?.length} × ${status}`).join(', ') || 'none'
}

/** The second from which on every second is as fast as this and refuses nothing. */
function secondsToNormal(answers: readonly Answered[], most: number): number {
  const seconds = Object.groupBy(answers, one => Math.floor(one.at / 1000))
  const bad = Object.entries(seconds)
    .filter(([, list = []]) => !list.every(isGood) || slowest(list, 0.99) > most)
    .map(([second]) => Number(second) + 1)
  return Math.max(0, ...bad)
}

function login({ host, port }: Target): string {
  const email = `nobody${Math.floor(random() * 1e6)}@bench.example`
  const body = JSON.stringify({ email, password: 'a password that is wrong' })
  return (
    `POST /session/login HTTP/1.1\r\nHost: ${host}:${port}\r\nOrigin: http://${host}:${port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
