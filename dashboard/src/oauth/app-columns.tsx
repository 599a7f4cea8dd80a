// OAuth apps as rows, and as lines of a file.
import { Menu, Text, Tooltip } from '@mantine/core'
import { sayScope, sayScopes } from '../keys/scopes.ts'
import type { CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { MoreItem, MoreMenu } from '../ui/more-menu.tsx'
import { count, plural } from '../ui/numbers.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { SortKeys } from '../ui/sort-rows.ts'
import type { OAuthApp } from './app.ts'
import '../ui/layout.css'

export type AppTask = 'change' | 'rotate' | 'delete'
/** `allowed`: by how many people; null while that is not known. */
export type AppRow = { app: OAuthApp; allowed: number | null }

export const APP_SORTS: SortKeys<AppRow> = {
  name: ({ app }) => app.name,
  scopes: ({ app }) => app.scopes.length,
  allowed: ({ allowed }) => allowed,
  created: ({ app }) => app.created_at,
}

export const APP_CSV: CsvColumns<AppRow> = {
  client_id: ({ app }) => app.client_id,
  name: ({ app }) => app.name,
  redirect_uris: ({ app }) => app.redirect_uris.join(' '),
  scopes: ({ app }) => app.scopes.join(' '),
  allowed_by: ({ allowed }) => allowed,
  created_at: ({ app }) => app.created_at,
  rotated_at: ({ app }) => app.rotated_at,
}

export function listColumns(
  open: (app: OAuthApp) => void,
  onChoose: (app: OAuthApp, task: AppTask) => void,
): Column<AppRow>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      lines: 2,
      sort: 'name',
      render: ({ app }) => (
        <>
          <button type="button" className="link-button strong" onClick={() => open(app)}>
            {app.name}
          </button>
          <Text size="xs" c="dimmed" className="break-anywhere">
            {app.redirect_uris[0]}
            {app.redirect_uris.length > 1 && ` and ${app.redirect_uris.length - 1} more`}
          </Text>
        </>
      ),
    },
    ...PLAIN,
    {
      key: 'more',
      title: <span className="sr-only">More</span>,
      align: 'right',
      render: ({ app }) => <AppMenu app={app} onChoose={task => onChoose(app, task)} />,
    },
  ]
}

const PLAIN: readonly Column<AppRow>[] = [
  {
    key: 'scopes',
    title: 'May ask to',
    sort: 'scopes',
    wide: true,
    render: ({ app: { scopes } }) => (
      <Tooltip multiline label={scopes.map(scope => <div key={scope}>{sayScope(scope)}</div>)}>
        <span>{sayScopes(scopes)}</span>
      </Tooltip>
    ),
  },
  {
    key: 'allowed',
    title: 'Allowed by',
    sort: 'allowed',
    align: 'right',
    render: ({ allowed }) =>
      !allowed ? (
        <span className="faint">{allowed === 0 ? 'nobody' : '…'}</span>
      ) : (
        <span className="number" title={plural(allowed, 'person', 'people')}>
          {count(allowed)}
        </span>
      ),
  },
  {
    key: 'created',
    title: 'Created',
    sort: 'created',
    align: 'right',
    wide: true,
    render: ({ app }) => <RelativeTime at={app.created_at} />,
  },
]

type MenuProps = { app: OAuthApp; onChoose: (task: AppTask) => void }

function AppMenu({ app, onChoose }: MenuProps) {
  return (
    <MoreMenu label={`More about ${app.name}`} width={220}>
      <MoreItem icon="edit" onClick={() => onChoose('change')}>
        Change it
      </MoreItem>
      <MoreItem icon="keys" onClick={() => onChoose('rotate')}>
        Make a new secret
      </MoreItem>
      <Menu.Divider />
      <MoreItem icon="trash" red onClick={() => onChoose('delete')}>
        Delete it
      </MoreItem>
    </MoreMenu>
  )
}
