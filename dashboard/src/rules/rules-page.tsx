// All rules as sentences, with how often each fired lately and to what effect.
import { Button, Paper } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type Address, useAddress } from '../app/address.ts'
import { useMay } from '../app/session.ts'
import { Change } from '../ui/change.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { count, plural, signed } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { type SortKeys, usePaged, useSorted } from '../ui/sort-rows.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import { useActivity, useRules } from './read-rules.ts'
import { sayFired, sayPeople, sumEffects } from './rule-activity.ts'
import { RULE_CSV, type RuleRow } from './rule-csv.ts'
import { RuleFilters, readRuleFilters } from './rule-filters.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import { CATEGORY_NAMES, sayRule } from './rule-words.ts'
import './rules.css'

const COLUMNS: readonly Column<RuleRow>[] = [
  {
    key: 'rule',
    title: 'Rule',
    lines: 2,
    sort: 'name',
    render: ({ rule }) => (
      <div className="rule-cell" data-inactive={rule.status === 'inactive' || undefined}>
        <Link to="/rules/$id" params={{ id: rule.id }} className="plain-link strong">
          {rule.name}
        </Link>
        <div className="under">
          <RuleSentence rule={rule} />
        </div>
      </div>
    ),
  },
  {
    key: 'category',
    title: 'Category',
    sort: 'category',
    wide: 'lg',
    render: ({ rule }) => CATEGORY_NAMES[rule.category],
  },
  {
    key: 'status',
    title: 'Status',
    sort: 'status',
    wide: true,
    render: ({ rule }) =>
      rule.status === 'active' ? (
        <StatusMark tone="good">Active</StatusMark>
      ) : (
        <StatusMark tone="idle">Inactive</StatusMark>
      ),
  },
  {
    key: 'fired',
    title: 'Fired, 30 d',
    sort: 'fired',
    align: 'right',
    render: ({ did }) =>
      did === undefined ? (
        ''
      ) : did.fired === 0 ? (
        <span className="faint">never</span>
      ) : (
        <span className="number" title={sayPeople(did)}>
          {sayFired(did)}
        </span>
      ),
  },
  {
    key: 'effect',
    title: 'Effect, 30 d',
    sort: 'effect',
    align: 'right',
    wide: true,
    render: ({ did }) =>
      did?.effect ? (
        <Change value={did.effect} {...(did.more && { period: `latest ${count(did.fired)}` })} />
      ) : (
        <span className="faint">–</span>
      ),
  },
]

export function RulesPage() {
  const [address] = useAddress()
  const navigate = useNavigate()
  const rules = useRules()
  const activity = useActivity()
  const rows = rules.data?.map(rule => ({ rule, did: activity?.(rule.id) }))
  const { rows: all, ...order } = useSorted(rows && filterRows(rows, address), SORTS)
  return (
    <Page
      title="Rules"
      state={tellState({ data: rows, error: rules.error }, sayState)}
      actions={<Actions rows={all} />}
    >
      <RuleFilters />
      <KeptList read={rules}>
        <Paper p={0}>
          <PagedTable
            label="Rules"
            columns={COLUMNS}
            {...order}
            {...usePaged(all)}
            what={['rule', 'rules']}
            rowKey={({ rule }) => rule.id}
            onOpen={({ rule }) => navigate({ to: '/rules/$id', params: { id: rule.id } })}
            empty={<NoRules />}
          />
        </Paper>
      </KeptList>
    </Page>
  )
}

function sayState(rows: readonly RuleRow[]): string {
  const active = rows.filter(({ rule }) => rule.status === 'active').length
  const parts = [plural(rows.length, 'rule'), `${count(active)} active`]
  const known = rows.flatMap(row => row.did ?? [])
  if (known.length > 0) {
    const effect = sumEffects(known)
    parts.push(`${count(known.filter(did => did.fired > 0).length)} fired in 30 days`)
    if (effect !== null) parts.push(`${signed(effect)} points in all`)
  }
  return parts.join(', ')
}

function filterRows(rows: readonly RuleRow[], address: Address): RuleRow[] {
  const asked = readRuleFilters(address)
  return rows.filter(({ rule, did }) => {
    if (asked.category && rule.category !== asked.category) return false
    if (asked.status && rule.status !== asked.status) return false
    if (asked.fired === 'yes' && !did?.fired) return false
    if (asked.fired === 'no' && did?.fired !== 0) return false
    return `${rule.name} ${sayRule(rule)}`.toLowerCase().includes(asked.search)
  })
}

/** Unless asked otherwise they stand in their order of evaluation. */
const SORTS: SortKeys<RuleRow> = {
  name: ({ rule }) => rule.name,
  category: ({ rule }) => CATEGORY_NAMES[rule.category],
  status: ({ rule }) => rule.status,
  fired: ({ did }) => did?.fired ?? 0,
  effect: ({ did }) => did?.effect ?? 0,
}

function Actions({ rows }: { rows: readonly RuleRow[] | undefined }) {
  const mayWrite = useMay('rules:write')
  return (
    <>
      <CsvButton name="rules" rows={rows} columns={RULE_CSV} />
      {mayWrite && (
        <>
          <Button component={Link} to="/rules/recalculate" variant="default">
            Recalculate
          </Button>
          <Button component={Link} to="/rules/new" leftSection={<Icon name="plus" size={16} />}>
            New rule
          </Button>
        </>
      )}
    </>
  )
}

function NoRules() {
  return (
    <EmptyState
      bare
      icon="rules"
      title="No rule fits"
      action={
        <Button component={Link} to="/rules" variant="default">
          Show all rules
        </Button>
      }
    >
      A rule says which events change a score, and by how much.
    </EmptyState>
  )
}
