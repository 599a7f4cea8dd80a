// HTML as values: whatever is put into a template is escaped, unless it is itself made by one.

const MADE = Symbol('html')

export type Html = { readonly [MADE]: string }
export type Part = Html | string | number | null | undefined | false | readonly Part[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control characters and marks that turn the direction of text could make a page lie. */
const INVISIBLE = /[^\P{Cc}\t\n\r]|[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Invariant: attributes are always quoted in templates, so escaping these five is enough. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const text = strings.map((string, i) => string + (i < parts.length ? render(parts[i]) : ''))
  return { [MADE]: text.join('') }
}

export function printHtml(page: Html): string {
  return page[MADE]
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') {
    return part.replace(INVISIBLE, '').replaceAll(/[&<>"']/g, character => ENTITIES[character]!)
  }
  return isMade(part) ? part[MADE] : part.map(render).join('')
}

function isMade(part: Html | readonly Part[]): part is Html {
  return MADE in part
}
