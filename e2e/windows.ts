// What journeys with several windows of one browser do in each of them.
import type { Page } from 'playwright-core'
import { logInByForm } from './house.ts'

export async function logIn(page: Page, email: string): Promise<void> {
  await logInByForm(page, email)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** The window looks who is logged in by now: what it is told, once it has dealt with it. */
export async function comeBack(page: Page): Promise<{ stage: string }> {
  await page.bringToFront()
  const told = page.waitForResponse(response => new URL(response.url()).pathname === '/session')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  const session = await (await told).json()
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve)))
  return session
}
