// What a run under strain must show, printed line by line; one that fails makes the program fail.

export type Check = { name: string; ok: boolean; measured: string }

export function check(name: string, ok: boolean, measured: number | string): Check {
  return { name, ok, measured: typeof measured === 'number' ? round(measured) : measured }
}

const round = (value: number) =>
  Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(2)

export function showChecks(title: string, checks: readonly Check[]): void {
  console.log(`\n${title}`)
  for (const { name, ok, measured } of checks) {
    console.log(`  ${ok ? 'ok  ' : 'MISS'} ${name}: ${measured}`)
  }
  if (checks.some(one => !one.ok)) process.exitCode = 1
}
