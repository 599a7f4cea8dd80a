// Takes the pictures of the documentation: the demo company in the real dashboard, by the real server.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const ROOT = new URL('../', import.meta.url)
const FOLDER = fileURLToPath(new URL('docs/screenshots/', ROOT))
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

type Shot = { name: string; path: string; dark?: boolean; phone?: boolean }

const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '/' },
  { name: 'overview-dark', path: '/', dark: true },
  { name: 'overview-phone', path: '/', phone: true },
  { name: 'employee', path: '/employees/:person' },
  { name: 'rules', path: '/rules' },
  { name: 'events', path: '/events' },
  { name: 'actions', path: '/actions' },
  { name: 'settings', path: '/settings' },
]

type Login = { url: string; email: string; password: string; key: string }

const data = mkdtempSync(join(tmpdir(), 'bellwether-screenshots-'))
const program = startServer()
const ended = new Promise(resolve => program.once('close', resolve))
try {
  const login = await readLogin(program)
  mkdirSync(FOLDER, { recursive: true })
  const executablePath = BROWSERS.find(path => existsSync(path))
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox'],
  })
  const person = await findPerson(login)
  for (const shot of SHOTS) await take(browser, login, shot, person)
  await browser.close()
} finally {
  program.kill('SIGTERM')
  await ended
  rmSync(data, { recursive: true, force: true })
}

function startServer(): ChildProcess {
  const entry = fileURLToPath(new URL('server/bellwether.js', ROOT))
  const env = { ...process.env, BELLWETHER_DATA_DIR: data, PORT: '0' }
  return spawn(process.execPath, [entry, 'serve', '--demo'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** What the program prints when it is ready. */
async function readLogin({ stdout }: ChildProcess): Promise<Login> {
  let text = ''
  for await (const piece of stdout!) {
    text += piece
    const [, url, email, password] = /Log in:\s+(\S+)\/login as (\S+), (\S+)/.exec(text) ?? []
    const key = /API key:\s+(\S+)/.exec(text)?.[1]
    if (url && email && password && key) return { url, email, password, key }
  }
  throw new Error(`the server ended: ${text}`)
}

/** Somebody with a story: in orange, after better and worse days. */
async function findPerson({ url, key }: Login): Promise<string> {
  const response = await fetch(`${url}/v1/employees?band=orange&sort=score&per_page=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data: people } = (await response.json()) as { data: { id: string }[] }
  return people[0]!.id
}

async function take(browser: Browser, login: Login, shot: Shot, person: string): Promise<void> {
  const { name, path, dark = false, phone = false } = shot
  const context = await browser.newContext({
    viewport: phone ? { width: 360, height: 780 } : { width: 1360, height: 900 },
    deviceScaleFactor: phone ? 2 : 1,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(`${login.url}/login?next=${encodeURIComponent(path.replace(':person', person))}`)
  await page.fill('[name=email]', login.email)
  await page.fill('[name=password]', login.password)
  await page.keyboard.press('Enter')
  await page.locator('h1').first().waitFor()
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  await page.locator('.live-mark[data-live]').waitFor()
  await page.screenshot({ path: join(FOLDER, `${name}.png`) })
  process.stdout.write(`docs/screenshots/${name}.png\n`)
  await context.close()
}
