// Windows of the one browser: kept for each role as long as the worker lives, their pages closed after each test.
import { readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import type { Role } from '../../server/src/accounts/roles.ts'
import { PASSWORD } from '../../server/test/people.ts'

/** Journeys are left out where there is no browser: `describe.skipIf(!hasBrowser)`. */
export const hasBrowser = inject('browser') !== null

export type Looks = { width?: number; height?: number; dark?: boolean }
/** In a window of one's own. */
export type OwnLooks = Looks & { timezone?: string }

/** How long a journey waits for what it looks for: the project says it. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS)

const DESK = { width: 1280, height: 860 }

let browser: Promise<Browser> | undefined
/** The browser keeps what a window has read of the app, so a further page in it opens much faster. */
const shared = new Map<Role, BrowserContext>()
const own: BrowserContext[] = []
/** The session each of the shared ones was given. */
const sessions = new Map<BrowserContext, string>()
const faults = new Map<Page, string[]>()

/** A page in the window that everybody of this role shares. */
export async function openShared(
  url: string,
  role: Role,
  session: string,
): Promise<BrowserContext> {
  const context = shared.get(role) ?? keepWhole(await newContext(url))
  shared.set(role, context)
  if (sessions.get(context) !== session) {
    // With nothing of the organization before.
    await context.setStorageState({ cookies: [], origins: [] })
    await context.addCookies(cookie(url, session))
    sessions.set(context, session)
  }
  return context
}

/** A window of one's own, which may be changed, closed after the test. */
export async function openOwn(
  url: string,
  session: string | null,
  timezone?: string,
): Promise<BrowserContext> {
  const context = await newContext(url, timezone)
  own.push(context)
  if (session !== null) await context.addCookies(cookie(url, session))
  return context
}

const cookie = (url: string, value: string) => [{ name: 'bw_session', value, url }]

async function newContext(url: string, timezoneId?: string): Promise<BrowserContext> {
  browser ??= chromium.connect(inject('browser')!)
  const context = await (await browser).newContext({
    baseURL: url,
    viewport: DESK,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
    ...(timezoneId ? { timezoneId } : {}),
  })
  context.setDefaultTimeout(PATIENCE_MS)
  context.on('page', page => watch(page, url))
  return context
}

/** What would change a shared window for the journeys after this one is refused. */
function keepWhole(context: BrowserContext): BrowserContext {
  const refuse = () => {
    throw new Error('this changes a window that others share: enter apart')
  }
  const { clock } = context
  Object.assign(context, { close: refuse, clearCookies: refuse, setOffline: refuse, route: refuse })
  Object.assign(clock, { install: refuse, setFixedTime: refuse, setSystemTime: refuse })
  return context
}

export async function openPage(
  context: BrowserContext,
  path: string | null,
  { width = DESK.width, height = DESK.height, dark = false }: Looks = {},
): Promise<Page> {
  const page = await context.newPage()
  if (width !== DESK.width || height !== DESK.height) await page.setViewportSize({ width, height })
  if (dark) await page.emulateMedia({ colorScheme: 'dark' })
  if (path !== null) await page.goto(path)
  return page
}

function watch(page: Page, url: string): void {
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
    const inside = origin === new URL(url).origin || /^(?:data|blob|about):$/.test(protocol)
    if (!inside) told.push(`a request left the origin: ${request.url()}`)
  })
}

/** What the browser says of a fault that the journey has brought about itself is none of the page. */
export function takeFaults(page: Page, said: RegExp): void {
  const told = faults.get(page)!
  const left = told.filter(text => !said.test(text))
  expect(left.length, `${said} was said`).toBeLessThan(told.length)
  told.splice(0, told.length, ...left)
}

/** After each test: whatever it has opened is closed, had no fault, and left the shared windows as they were. */
export async function closePages(): Promise<void> {
  const told = [...faults].flatMap(([page, list]) => list.map(text => `${page.url()}: ${text}`))
  const pages = [...faults.keys()].filter(page => !page.isClosed())
  const ended = await Promise.all([...shared.values()].map(findEnded))
  faults.clear()
  await Promise.all([
    ...own.splice(0).map(context => context.close()),
    ...pages.filter(page => sessions.has(page.context())).map(page => page.close()),
  ])
  expect(told).toEqual([])
  expect(ended.flat(), 'who changes a session enters apart').toEqual([])
}

async function findEnded(context: BrowserContext): Promise<string[]> {
  if (context.pages().length === 0) return []
  const cookies = await context.cookies()
  const now = cookies.find(({ name }) => name === 'bw_session')?.value
  if (now === sessions.get(context)) return []
  sessions.delete(context)
  return ['the session of a shared window is another by now']
}

/** Through the form of the login page, as a person does. */
export async function fillLogin(page: Page, email: string): Promise<void> {
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', PASSWORD)
  await page.keyboard.press('Enter')
}

export async function logIn(page: Page, email: string): Promise<void> {
  await fillLogin(page, email)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** A further window is led to the login. (An open one may be on its way there by itself, which ends a reload.) */
export async function expectLoggedOut(page: Page): Promise<void> {
  const further = await page.context().newPage()
  await further.goto('/')
  await further.waitForURL(url => url.pathname === '/login')
  await further.close()
}

/** The window looks who is logged in by now: what it is told, once it has dealt with it. */
export async function focusWindow(page: Page): Promise<{ stage: string }> {
  await page.bringToFront()
  const told = page.waitForResponse(response => new URL(response.url()).pathname === '/session')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  const session = await (await told).json()
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve)))
  return session
}

/** As a link within the dashboard does: the app stays, the page changes. An empty page is opened there. */
export async function navigate(page: Page, path: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(path)
  else await page.evaluate(to => window.history.pushState({}, '', to), path)
}

/** What was answered has been dealt with and drawn. */
export const settle = (page: Page) =>
  page.evaluate(
    () => new Promise(resolve => setTimeout(() => requestAnimationFrame(() => resolve(0)))),
  )

/** Two frames: what was laid out in the first has been drawn and told of. */
export const draw = (page: Page) =>
  page.evaluate(
    () =>
      new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)))),
  )

/** Nothing went wrong in this page so far, and nothing sticks out sideways. */
export async function expectNoErrors(page: Page): Promise<void> {
  expect(faults.get(page) ?? []).toEqual([])
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(over, `${page.url()} is wider than the window`).toBeLessThanOrEqual(0)
}

/** Axe finds nothing serious; where the same page was looked at before, only what its colours change is worth the time. */
export async function expectAccessible(page: Page, checks: 'all' | 'contrast' = 'all') {
  expect(await findBarriers(page, checks === 'contrast'), page.url()).toEqual([])
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** What its types leave out. */
type Audit = { _audit: { rules: { id: string; impact?: string }[] } }

async function findBarriers(page: Page, contrastOnly: boolean): Promise<string[]> {
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
  }, contrastOnly)
}
