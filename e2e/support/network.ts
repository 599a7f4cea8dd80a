// A network that is slow, loses answers or brings others: a journey acts meanwhile, or looks what is told of it.
import type { Page, Route } from 'playwright-core'

const json = (status: number, code: string, message: string, request_id: string) => ({
  status,
  json: { error: { code, message, request_id } },
})

const BUSY = json(503, 'UNAVAILABLE', 'the service is busy', 'req_held')

/** Requests of this kind wait until they are released to go on as they are, or refused. */
export async function delayResponse(page: Page, method: string, path: RegExp) {
  const asked: string[] = []
  const { promise, resolve } = Promise.withResolvers<'released' | 'refused'>()
  await page.route(path, async route => {
    if (route.request().method() !== method) return route.fallback()
    asked.push(route.request().url())
    if ((await promise) === 'released') await route.fallback()
    else await route.fulfill(BUSY)
  })
  return { asked, release: () => resolve('released'), refuse: () => resolve('refused') }
}

/** The server does it at once, and the page hears of it when the journey says so. */
export async function answerLate(page: Page, method: string, path: string) {
  const [done, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(
    url => url.pathname === path,
    async route => {
      if (route.request().method() !== method) return route.fallback()
      const response = await route.fetch()
      done.resolve()
      await answered.promise
      await route.fulfill({ response })
    },
  )
  return { done: done.promise, answer: answered.resolve }
}

export const FAULT = 'the archive is closed'

/** Calls of this path are refused until the given way back is taken. */
export async function refuse(page: Page, path: string): Promise<() => Promise<void>> {
  const fits = (url: URL) => url.pathname === path
  await page.route(fits, route => route.fulfill(json(409, 'CONFLICT', FAULT, 'req_1')))
  return () => page.unroute(fits)
}

/** The next call of this kind is dealt with so; those after it pass. */
export async function once(
  page: Page,
  method: string,
  path: RegExp,
  deal: (route: Route) => unknown,
) {
  let done = false
  await page.route(path, async route => {
    if (done || route.request().method() !== method) return route.fallback()
    done = true
    await deal(route)
  })
}

/** The server does what it is asked, and nobody hears of it. */
export async function loseAnswer(route: Route): Promise<void> {
  await route.fetch()
  await route.abort('connectionreset')
}

export async function cutAnswer(route: Route): Promise<void> {
  const response = await route.fetch()
  const body = await response.text()
  await route.fulfill({ response, body: body.slice(0, body.length / 2) })
}

export const told = (page: Page, method: string, path: string) =>
  page.waitForResponse(
    answer => answer.request().method() === method && new URL(answer.url()).pathname === path,
  )
