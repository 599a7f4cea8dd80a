// HTML as values: whatever is put into a template is escaped, unless it is itself made by one.

const MADE = Symbol('html')

export type Html = { readonly [MADE]: string }
type Part = Html | string | number | null | undefined | false | readonly Part[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const text = strings.map((string, i) => string + (i < parts.length ? render(parts[i]) : ''))
  return { [MADE]: text.join('') }
}

export function printHtml(page: Html): string {
  return page[MADE]
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string')
    return part.replaceAll(/[&<>"']/g, character => ENTITIES[character]!)
  if (typeof part === 'number') return String(part)
  return isMade(part) ? part[MADE] : part.map(render).join('')
}

function isMade(part: Html | readonly Part[]): part is Html {
  return MADE in part
}

/** Plain words with `code` in them, a paragraph for each blank line. */
export function prose(text: string): Html {
  return html`${text.split(/\n{2,}/).map(paragraph => html`<p>${codeSpans(paragraph)}</p>`)}`
}

export function codeSpans(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
