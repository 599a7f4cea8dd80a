// The rules every new tenant starts with, read from the table beside this file.
import { readFileSync } from 'node:fs'
import type { Category } from '../../../scoring/rules.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { insertRules, type RuleRow } from './rules.queries.ts'

type DefaultRule = Omit<RuleRow, 'id' | 'created_at'>

export const DEFAULT_RULES: readonly DefaultRule[] = readTable(
  readFileSync(new URL('default-rules.csv', import.meta.url), 'utf8'),
)

/** Ids ascend in the order of the file. */
export async function addDefaultRules(tx: Tx, tenant_id: string, now: Instant): Promise<void> {
  const created_at = new Date(now)
  const rows = DEFAULT_RULES.map(rule => ({ ...rule, id: newId('rule', now), created_at }))
  await insertRules(tx, tenant_id, rows)
}

function readTable(text: string): DefaultRule[] {
  const [head, ...lines] = text.split(/\r?\n/).filter(line => line !== '')
  const names = readLine(head!)
  return lines.map(line => {
    const cells = readLine(line)
    if (cells.length !== names.length) throw new Error(`default-rules.csv: ${line}`)
    const cell = (name: string) => cells[names.indexOf(name)]!
    return {
      name: cell('name'),
      event_type: cell('event_type'),
      category: cell('category') as Category,
      impact: Number(cell('impact')),
      cooldown: cell('cooldown'),
      conditions: JSON.parse(cell('conditions')) as Record<string, unknown>,
      priority: Number(cell('priority')),
      exclusive: false,
      is_default: true,
      status: 'active',
    }
  })
}

/** The cells of a line: plain, or quoted with doubled quotes inside. */
function readLine(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!)
}
