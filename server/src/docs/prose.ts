// Plain words of descriptions as HTML.
import { type Html, html } from '../platform/html.ts'

/** Plain words with `code` in them, a paragraph for each blank line. */
export function prose(text: string): Html {
  return html`${text.split(/\n{2,}/).map(paragraph => html`<p>${codeSpans(paragraph)}</p>`)}`
}

export function codeSpans(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
