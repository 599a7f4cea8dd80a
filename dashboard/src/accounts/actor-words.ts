// Who did something, in words: by name where it may be known, otherwise by what they are.

export const OURS: Record<string, string> = { engine: 'Bellwether', operator: 'Operator' }

/** Only these act for an organization; which of them did is told to those who read its log. */
const SOMEBODY: Record<string, string> = {
  user: 'An owner or admin',
  key: 'An API key',
  app: 'An OAuth app',
}

export type Names = {
  /** By id. */
  known: ReadonlyMap<string, string>
  /** Kinds of whose names none may be read: the bare id would tell nobody anything. */
  hidden: ReadonlySet<string>
}

export function sayActor(kind: string, id: string, { known, hidden }: Names): string {
  const said = OURS[kind] ?? known.get(id)
  return said || (hidden.has(kind) && SOMEBODY[kind]) || id
}

/** The form in which a row stores its actor: kind and id with a colon between. */
export function splitActor(text: string): [kind: string, id: string] {
  const at = text.indexOf(':')
  return at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
}
