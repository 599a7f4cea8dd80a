// A whole service for a file of journeys: real server, real PostgreSQL, real worker, and people with browsers.
import { readFileSync } from 'node:fs'
import pino from 'pino'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { asOperator } from '../server/src/accounts/identity.ts'
import type { Role } from '../server/src/accounts/roles.ts'
import { type App, buildApp } from '../server/src/app.ts'
import { listJobs } from '../server/src/jobs.ts'
import { createKey, readScopes } from '../server/src/keys/manage-keys.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import type { Context } from '../server/src/platform/context.ts'
import { openDatabase } from '../server/src/platform/database.ts'
import { startWorker } from '../server/src/platform/jobs.ts'
import { createSecrets, keyFromSetting } from '../server/src/platform/secrets.ts'
import { startDeliveryEngine } from '../server/src/webhooks/deliver-webhooks.job.ts'
import { afterFile } from '../server/test/after-file.ts'
import { addPerson, PASSWORD } from '../server/test/people.ts'
import { cloneDatabase, type Service, testConfig } from '../server/test/service.ts'

/** Journeys are left out where there is no browser: `describe.skipIf(!hasBrowser)`. */
export const hasBrowser = inject('browser') !== null
export { PASSWORD }
/** For a busy machine; nothing waits for it when all is well. */
export const PATIENCE_MS = 120_000

export type House = {
  url: string
  tenant_id: string
  key: string
  context: Context
  app: App
  /** A call of the API with the tenant's key. */
  api<T = any>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>
  /** Somebody with this role, who has chosen PASSWORD. */
  person(role: Role, email?: string): Promise<{ email: string; user_id: string }>
  /** A page of somebody who is logged in; every fault the browser tells of fails the test. Null: still an empty one. */
  enter(role: Role, path?: string | null, options?: Looks): Promise<Page>
  /** The same of this person, in a browser of their own. */
  enterAs(email: string, path: string | null): Promise<Page>
  /** A page of nobody. */
  visit(path: string, options?: Looks): Promise<Page>
}

export type Looks = { width?: number; height?: number; dark?: boolean }

export async function openHouse(name = 'Acme'): Promise<House> {
  const { app, context, stop } = await openService()
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name, plan: 'enterprise' })
  const { key } = await asOperator(context, tenant_id, createKey, {
    name: 'journeys',
    scopes: readScopes('all'),
    expires_at: null,
  })
  const url = `http://127.0.0.1:${(app.server.server.address() as { port: number }).port}`
  const browser = await chromium.connect(inject('browser')!)
  afterFile(async () => {
    await browser.close()
    await stop()
  })
  const service = { app, context } as Service
  const person = (role: Role, email?: string) => addPerson(service, tenant_id, role, email)
  const session = (value: string) => [{ name: 'bw_session', value, url }]
  const entered = new Map<Role, string>()
  // A second page of the same person finds the app in the browser's store and opens much faster.
  const windows = new Map<string, BrowserContext>()
  return {
    url,
    tenant_id,
    key,
    context,
    app,
    person,
    api: (method, path, body) => callApi(url, key, method, path, body),
    visit: async (path, looks = {}) => openPage(await newContext(browser, url, looks), path),
    enter: async (role, path = '/', looks = {}) => {
      if (!entered.has(role)) entered.set(role, await logIn(url, (await person(role)).email))
      const name = `${role} ${JSON.stringify(looks)}`
      const own = windows.get(name) ?? (await newContext(browser, url, looks))
      if (!windows.has(name)) {
        windows.set(name, own)
        own.once('close', () => windows.delete(name))
        await own.addCookies(session(entered.get(role)!))
      }
      return openPage(own, path)
    },
    enterAs: async (email, path) => {
      const own = await newContext(browser, url, {})
      await own.addCookies(session(await logIn(url, email)))
      return openPage(own, path)
    },
  }
}

async function openService() {
  const address = await cloneDatabase()
  const config = testConfig({ webhook_allow: ['127.0.0.0/8'], host: '127.0.0.1' })
  const db = openDatabase({ address, pool: config.pool, prepare: true })
  const context: Context = {
    db,
    clock: { now: () => Date.now() },
    config,
    secrets: createSecrets(keyFromSetting('a key for journeys only, long enough')),
    log: pino({ level: 'silent' }),
  }
  const app = buildApp(context)
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const worker = startWorker(context, listJobs())
  const deliveries = startDeliveryEngine(context)
  const stop = async () => {
    await Promise.all([worker.stop(), deliveries.stop()])
    app.server.server.closeAllConnections()
    await app.close()
    await db.close()
  }
  return { app, context, stop }
}

async function callApi(url: string, key: string, method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** The cookie of a fresh session. */
async function logIn(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/session/login`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  const cookie = /bw_session=(\w+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
  if (!cookie) throw new Error(`login failed: ${await response.text()}`)
  return cookie
}

/** Through the form of the login page, as a person does. */
export async function logInByForm(page: Page, email: string): Promise<void> {
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', PASSWORD)
  await page.keyboard.press('Enter')
}

async function newContext(browser: Browser, url: string, looks: Looks): Promise<BrowserContext> {
  const { width = 1280, height = 860, dark = false } = looks
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

const faults = new WeakMap<Page, string[]>()

async function openPage(context: BrowserContext, path: string | null): Promise<Page> {
  const page = await context.newPage()
  const told: string[] = []
  faults.set(page, told)
  page.on('pageerror', error => told.push(error.message))
  page.on('console', message => {
    // A refused request is the journey's own business.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      told.push(message.text())
  })
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    const own = context.pages()[0] && origin === new URL(page.url()).origin
    const inside =
      own || ['data:', 'blob:', 'about:'].includes(protocol) || page.url() === 'about:blank'
    if (!inside) told.push(`a request left the origin: ${request.url()}`)
  })
  if (path !== null) await page.goto(path)
  return page
}

/** A further window is led to the login. (An open one may be on its way there by itself, which ends a reload.) */
export async function expectLoggedOut(page: Page): Promise<void> {
  const further = await page.context().newPage()
  await further.goto('/')
  await further.waitForURL(url => url.pathname === '/login')
  await further.close()
}

/** Where the same page was looked at before, only what its colours change is worth the time. */
type Barriers = 'all' | 'contrast' | 'none'

/** Nothing went wrong in this page, nothing sticks out sideways, and axe finds nothing serious. */
export async function expectGoodPage(page: Page, barriers: Barriers = 'all'): Promise<void> {
  expect(faults.get(page) ?? []).toEqual([])
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(over, `${page.url()} is wider than the window`).toBeLessThanOrEqual(0)
  if (barriers !== 'none') expect(await findBarriers(page, barriers)).toEqual([])
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** What its types leave out. */
type Audit = { _audit: { rules: { id: string; impact?: string }[] } }

async function findBarriers(page: Page, barriers: Barriers): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(async contrastOnly => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') & Audit }
    // A violation is as grave as its rule: what could not be serious is not looked for.
    const slight = axe._audit.rules.filter(({ impact }) => /^(minor|moderate)$/.test(impact ?? ''))
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(contrastOnly
        ? { runOnly: ['color-contrast'] }
        : { rules: Object.fromEntries(slight.map(({ id }) => [id, { enabled: false }])) }),
    })
    return violations
      .filter(one => one.impact === 'serious' || one.impact === 'critical')
      .map(
        one =>
          `${one.id}: ${one.nodes
            .map(node => node.html.slice(0, 160))
            .slice(0, 3)
            .join(' | ')}`,
      )
  }, barriers === 'contrast')
}
