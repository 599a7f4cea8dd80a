// Comes before every test file of the server and every journey: its hook is the last of the file.
import { afterAll } from 'vitest'
import { closeOpened } from './after-file.ts'

afterAll(closeOpened)
