// A cookie that another window has renewed takes that of calls under way: those are made once more, nobody is sent away.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { call, callAdmin, rememberSession } from './call-api.ts'
import { provideProof } from './proof.ts'

const SESSION = {
  stage: 'signed_in',
  csrf_token: 'of the session',
  user: { id: 'usr_1', email: 'kim@acme.test' },
  tenant: { id: 'ten_1', name: 'Acme' },
}

let asked: string[] = []
let sentAway: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  sentAway = []
  vi.stubGlobal('document', { querySelector: () => null })
  const assign = (to: string) => void sentAway.push(to)
  vi.stubGlobal('window', { location: { pathname: '/rules', search: '', assign } })
  rememberSession(SESSION)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** A service that knows the cookie of a call only from so many calls of a kind on. */
function openService(known_after: Record<string, number>): void {
  vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
    const what = `${method} ${path}`
    asked.push(what)
    const before = asked.filter(one => one === what).length - 1
    if (before < (known_after[what] ?? 0)) {
      const error = { code: 'UNAUTHORIZED', message: 'log in first', request_id: 'req_1' }
      return new Response(JSON.stringify({ error }), { status: 401 })
    }
    return new Response(JSON.stringify(path === '/session' ? SESSION : { done: true }))
  })
}

test('a call whose cookie was renewed under way is made once more, with the new one', async () => {
  openService({ 'POST /admin/keys': 1, 'GET /v1/me': 1 })
  const both = Promise.all([callAdmin('POST', '/admin/keys', {}), call('GET /v1/me', {})])
  await vi.runAllTimersAsync()
  expect(await both).toEqual([{ done: true }, { done: true }])
  expect(asked.filter(one => one === 'GET /session')).toHaveLength(1)
  expect(asked).toHaveLength(5)
  expect(sentAway).toEqual([])
})

test('a session that has ended leads to the login, once it was looked for', async () => {
  openService({ 'GET /v1/me': 9, 'GET /session': 9 })
  const told = call('GET /v1/me', {}).catch(error => error.message)
  await vi.runAllTimersAsync()
  expect(await told).toBe('the session had ended; nothing was changed')
  expect(asked).toEqual(['GET /v1/me', 'GET /session'])
  expect(sentAway).toEqual(['/login?next=%2Frules'])
})

test('what is refused again is not asked for a third time', async () => {
  openService({ 'GET /v1/me': 9 })
  const told = call('GET /v1/me', {}).catch(error => error.status)
  await vi.runAllTimersAsync()
  expect(await told).toBe(401)
  expect(asked).toEqual(['GET /v1/me', 'GET /session', 'GET /v1/me'])
})

test('two that wait for a proof of identity go on with the one that is given', async () => {
  const told = new Map<string, number>()
  vi.stubGlobal('fetch', async (path: string) => {
    told.set(path, (told.get(path) ?? 0) + 1)
    if (told.get(path)! > 1) return new Response(JSON.stringify({ done: path }))
    const error = { code: 'REAUTHENTICATION_REQUIRED', message: 'who are you', request_id: 'req_1' }
    return new Response(JSON.stringify({ error }), { status: 403 })
  })
  // As the dialog does: there is one, and who asked last is told.
  const asked: ((proven: boolean) => void)[] = []
  provideProof(() => new Promise(resolve => asked.push(resolve)))
  const paths = ['/session/sessions/ses_1', '/session/sessions/ses_2']
  const both = Promise.all(paths.map(path => callAdmin('DELETE', path)))
  await vi.runAllTimersAsync()
  expect(asked).toHaveLength(1)
  asked[0]!(true)
  await vi.runAllTimersAsync()
  expect(await both).toEqual(paths.map(done => ({ done })))
  const next = callAdmin('DELETE', '/session/sessions/ses_3').catch(error => error.code)
  await vi.runAllTimersAsync()
  expect(asked).toHaveLength(2)
  asked[1]!(false)
  expect(await next).toBe('REAUTHENTICATION_REQUIRED')
})
