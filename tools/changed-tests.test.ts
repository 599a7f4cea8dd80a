// The choice of tests for a change: what is near is run, what stands on the whole service is left.
import { expect, test } from 'vitest'
import { chooseTests } from './changed-tests.ts'

const HOUSE = new Map(
  Object.entries({
    'scoring/state.ts': '',
    'scoring/state.test.ts': "import { a } from './state.ts'",
    'server/src/rules/book.ts': "import { a } from '../../../scoring/state.ts'",
    'server/src/rules/book.test.ts': "import { a } from './book.ts'",
    'server/src/rules/rules.test.ts': "import { a } from '../../test/service.ts'",
    'server/src/rules/long.deep.test.ts': "import { a } from '../../test/service.ts'",
    'server/src/events/ingest.ts': "import { a } from '../rules/book.ts'",
    'server/src/events/ingest.test.ts':
      "import { a } from './ingest.ts'\nimport { b } from '../../test/service.ts'",
    'server/src/events/direct.test.ts':
      "import { a } from '../rules/book.ts'\nimport { b } from '../../test/service.ts'",
    'server/src/app.ts': "import { a } from './events/ingest.ts'",
    'server/test/service.ts': "import { a } from '../src/app.ts'",
  }),
)

test('a pure file: the pure tests that reach it', () => {
  expect(chooseTests(HOUSE, ['scoring/state.ts'])).toEqual({
    tests: ['scoring/state.test.ts', 'server/src/rules/book.test.ts'],
    left: 4,
  })
})

test('a file of a slice: the slice on its database too, and whose test imports it', () => {
  expect(chooseTests(HOUSE, ['server/src/rules/book.ts'])).toEqual({
    tests: [
      'server/src/rules/book.test.ts',
      'server/src/rules/rules.test.ts',
      'server/src/events/direct.test.ts',
    ],
    left: 2,
  })
})

test('a changed test is run itself, deep or not', () => {
  const changed = ['server/src/rules/long.deep.test.ts']
  expect(chooseTests(HOUSE, changed).tests).toContain(changed[0])
})
