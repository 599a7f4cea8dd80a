// Serving the dashboard: the shell, its policy, its files, and that nothing else can be had this way.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { startService, testClock, testConfig } from '../../test/service.ts'
import type { Context } from '../platform/context.ts'
import { createServer } from '../platform/http.ts'
import { installNotFound, type PageForPath } from '../platform/not-found.ts'
import { describeFault, fingerprint } from './build-dashboard.ts'
import { dashboardRoutes } from './dashboard.routes.ts'

const root = mkdtempSync(join(tmpdir(), 'bellwether-dashboard-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const SHELL = '<meta name="style-nonce" content="%STYLE_NONCE%"><div id="app"></div>'
const SCRIPT = 'console.log("a script")'

function makeBuild(name: string): URL {
  const folder = join(root, name)
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), SHELL)
  writeFileSync(join(folder, 'sources.sha256'), 'secret to nobody, served to nobody')
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets/index-1a2b.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/index-1a2b.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(root, 'private.js'), 'not part of the build')
  return pathToFileURL(`${folder}/`)
}

function serveFolder(folder: URL) {
  const context = { config: testConfig(), clock: testClock(), log: pino({ level: 'silent' }) }
  const server = createServer(context as unknown as Context)
  let page: PageForPath = () => null
  installNotFound(server, (request, reply) => page(request, reply))
  page = dashboardRoutes(server, folder)
  afterAll(() => server.close())
  return (url: string, headers: Record<string, string> = {}) =>
    server.inject({ method: 'GET', url, headers })
}

const get = serveFolder(makeBuild('dist'))
const HTML = { accept: 'text/html,application/xhtml+xml' }

describe('200', () => {
  it.each(['/', '/employees', '/employees/emp_1', '/rules/recalculate', '/profile'])(
    '%s is the shell, whoever asks',
    async path => {
      const answer = await get(path)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.body).toContain('<div id="app">')
    },
  )

  it('a path no page has is the shell too, for a browser', async () => {
    expect((await get('/no/such/page', HTML)).statusCode).toBe(200)
    expect((await get('/no/such/page')).statusCode).toBe(404)
  })

  it.each([
    '/events?type=%00',
    '/employees/%00',
    '/events?search=M%FCller',
    '/employees/x?a=%',
    '/?a=%',
  ])(
    '%s is the shell for a browser: what its address says is for the page to judge',
    async path => {
      const answer = await get(path, HTML)
      expect(answer.statusCode).toBe(200)
      expect(answer.body).toContain('<div id="app">')
    },
  )

  it('only our own scripts run, and only styles with the nonce of this answer', async () => {
    const [first, second] = [await get('/'), await get('/')]
    const nonceOf = (answer: typeof first) =>
      /'nonce-([^']+)'/.exec(String(answer.headers['content-security-policy']))![1]!
    expect(first.body).toBe(SHELL.replace('%STYLE_NONCE%', nonceOf(first)))
    expect(nonceOf(first)).not.toBe(nonceOf(second))
    const policy = String(first.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("frame-ancestors 'none'")
  })

  it('a file of the build may be kept for ever, and is packed for who takes it so', async () => {
    const plain = await get('/assets/index-1a2b.js')
    expect(plain.body).toBe(SCRIPT)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const packed = await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(packed.rawPayload).toString()).toBe(SCRIPT)
    expect((await get('/favicon.svg')).headers['cache-control']).toBe('public, max-age=3600')
  })
})

describe('400', () => {
  it.each(['/employees/%ff', '/login?next=%ff', '/v1/events?type=%ff', '/assets/x?a=%ff'])(
    '%s cannot be read, and is no address of a page',
    async path => {
      const answer = await get(path, HTML)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error.code).toBe('VALIDATION_ERROR')
    },
  )
})

describe('404', () => {
  it.each([
    '/assets/missing.js',
    '/assets/../index.html',
    '/assets/../sources.sha256',
    '/assets/..%2fsources.sha256',
    '/assets/%2e%2e/%2e%2e/private.js',
    '/assets/..%5c..%5cprivate.js',
    '/assets//index-1a2b.js',
    '/sources.sha256',
    '/private.js',
    '/robots.txt',
  ])('%s is not part of the build', async path => {
    const answer = await get(path, HTML)
    expect(answer.statusCode).toBe(404)
    expect(answer.json().error.code).toBe('NOT_FOUND')
  })

  it('unknown paths of the API stay JSON with rate headers, also for a browser', async () => {
    const { app } = await startService()
    for (const url of ['/v1/nope', '/v1', '/admin/nope', '/session/nope', '/oauth/nope']) {
      const answer = await app.server.inject({ method: 'GET', url, headers: HTML })
      expect(answer.statusCode, url).toBe(404)
      expect(answer.json().error.code).toBe('NOT_FOUND')
      expect(answer.headers['x-ratelimit-limit']).toBe('60')
    }
    for (const url of ['/docs', '/openapi.json', '/login', '/healthz']) {
      const { body } = await app.server.inject({ method: 'GET', url, headers: HTML })
      expect(body, url).not.toContain('id="app"')
    }
  })
})

describe('503', () => {
  it('says how to get a dashboard where none is built', async () => {
    const bare = serveFolder(pathToFileURL(join(root, 'nothing/')))
    const answer = await bare('/')
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('npm start builds it')
  })
})

describe('what is said of a build that failed', () => {
  it.each([
    "EACCES: permission denied, open '/opt/b/x.ts'",
    "EROFS: read-only file system, open '/opt/b/x.ts'",
    // What Node says of a folder that cannot be made on a disk mounted to be read only.
    "ENOENT: no such file or directory, mkdir '/opt/b/node_modules/.vite-temp'",
  ])('what to do where the folder may only be read: %s', fault => {
    const stderr = `failed to load\n  at x\nError: ${fault}\n  at y`
    expect(describeFault({ stderr, message: 'Command failed' })).toBe(
      `its folder cannot be written; run \`npm run build\` once as its owner (${fault})`,
    )
  })

  it('otherwise all that the builder said', () => {
    const stderr = "Error: ENOENT: no such file or directory, open '/opt/b/x.ts'"
    expect(describeFault({ stderr, message: 'Command failed' })).toBe(stderr)
    expect(describeFault({ stderr: '', message: 'Command failed' })).toBe('Command failed')
  })
})

describe('the fingerprint of the sources', () => {
  const folder = join(root, 'repository')
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const read = () => fingerprint(pathToFileURL(`${folder}/`))

  it('changes with sources, scoring and libraries, not with tests or what was built', () => {
    write('dashboard/src/main.tsx', 'a')
    write('scoring/state.ts', 'b')
    write('package-lock.json', '{}')
    const first = read()
    write('dashboard/dist/index.html', 'built')
    write('dashboard/src/main.test.ts', 'a test')
    expect(read()).toBe(first)
    const seen = new Set([first])
    for (const path of ['dashboard/src/main.tsx', 'scoring/state.ts', 'package-lock.json']) {
      write(path, 'changed')
      seen.add(read())
    }
    expect(seen.size).toBe(4)
  })
})
