// Comes before every test file of the server: its hook is the last of the file.
import { afterAll } from 'vitest'
import { closeOpened } from './after-file.ts'

afterAll(closeOpened)
