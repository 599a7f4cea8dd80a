// Before the journeys: the dashboard is built and one browser started, which every file connects to.
import { existsSync, statfsSync } from 'node:fs'
import chromiumPack from '@sparticuz/chromium'
import { type BrowserServer, chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildDashboard } from '../../server/src/dashboard/build-dashboard.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the browser listens; null where this machine has none. */
    browser: string | null
  }
}

/** The lightest first. */
const INSTALLED = [
  process.env.BELLWETHER_BROWSER ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const ROOMY_BYTES = 1024 ** 3

export default async function setup(project: TestProject) {
  const fault = await buildDashboard(text => console.log(text))
  if (fault !== null) throw new Error(`the dashboard could not be built: ${fault}`)
  const server = await launchAny()
  if (!server) console.log('No browser on this machine: the journeys in e2e/ are left out.')
  project.provide('browser', server?.wsEndpoint() ?? null)
  return async () => server?.close()
}

/** What the browser's processes share lies in memory, not in files on the disk, unless a container grants too little. */
function hasRoomyMemory(): boolean {
  if (!existsSync('/dev/shm')) return false
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize >= ROOMY_BYTES
}

/**
 * One that is installed, else the one that comes as a package, which is for Linux on x64. The arguments that come with it
 * are left out: they are for one page in one process, which ends with the first context that is closed.
 */
async function launchAny(): Promise<BrowserServer | null> {
  for (const executablePath of INSTALLED.filter(path => path !== '' && existsSync(path))) {
    const server = await launch(executablePath, QUIET)
    if (server) return server
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const unpacked = await chromiumPack.executablePath().catch(() => null)
  return unpacked === null ? null : launch(unpacked, QUIET)
}

async function launch(executablePath: string, args: string[]): Promise<BrowserServer | null> {
  const ignoreDefaultArgs = hasRoomyMemory() ? ['--disable-dev-shm-usage'] : []
  return chromium
    .launchServer({ executablePath, args, ignoreDefaultArgs })
    .catch((error: Error) => {
      console.log(`${executablePath} does not start: ${error.message.split('\n')[0]}`)
      return null
    })
}
