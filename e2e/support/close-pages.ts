// Comes before every file of journeys: what a test has opened in the browser is looked at and closed after it.
import { afterEach } from 'vitest'
import { closePages } from './browser.ts'

afterEach(closePages)
