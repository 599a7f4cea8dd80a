// The programs for developers say how they are called, and refuse in one line what would do nothing.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

type Ran = { code: number | string; stdout: string; stderr: string }

const run = (program: string, ...args: string[]) =>
  new Promise<Ran>(resolve => {
    execFile(process.execPath, [program, ...args], { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

test.each([
  'fuzz/run.ts',
  'faults/run.ts',
  'bench/run.ts',
  'bench/soak.ts',
  'server/test/simulation/run.ts',
  'tools/side-by-side.ts',
])('%s --help is one line', async program => {
  const stdout = expect.stringMatching(/^npm run [\w-]+ -- .*\n$/)
  expect(await run(program, '--help')).toEqual({ code: 0, stdout, stderr: '' })
})

test('a release that is not named, or is none, is one line and nothing is started', async () => {
  expect(await run('tools/side-by-side.ts')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'name the earlier release; npm run side-by-side -- <commit>\n',
  })
  expect(await run('tools/side-by-side.ts', 'no-such-release')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'no-such-release is no commit of this repository\n',
  })
})

test('an option that is not there, and a number that is none, are one line and exit code 1', async () => {
  expect(await run('fuzz/run.ts', '--nope')).toEqual({
    code: 1,
    stdout: '',
    stderr: "Unknown option '--nope'; npm run fuzz -- [--seed N] [--requests N]\n",
  })
  expect(await run('fuzz/run.ts', '--requests', 'many')).toEqual({
    code: 1,
    stdout: '',
    stderr: '--requests must be a whole number from 1 to 999999999, not "many"\n',
  })
})
