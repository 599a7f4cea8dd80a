// The readable form of the API document: one page, rendered here, that needs no script.
import { type Html, html, printHtml } from '../platform/html.ts'
import type { ApiDocument } from '../platform/openapi.ts'
import { listGuide, type Section } from './docs-guide.ts'
import { type Entry, renderOperation } from './docs-operation.ts'
import { prose } from './prose.ts'

type Chapter = { id: string; name: string; description: string; entries: Entry[] }

export function renderPage(document: ApiDocument, address: string): string {
  const guide = listGuide(document, address)
  const chapters = listChapters(document)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${renderNavigation(document, guide, chapters)}
<main id="content">
<header><h1>${document.info.title} <span>API</span></h1><p>Version ${document.info.version}</p></header>
${guide.map(renderSection)}
${chapters.map(chapter => renderChapter(document, chapter))}
</main>
</body>
</html>
`
  return printHtml(page)
}

function listChapters(document: ApiDocument): Chapter[] {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  return document.tags.map(({ name, description }) => ({
    id: `tag-${name.toLowerCase()}`,
    name,
    description,
    entries: entries.filter(({ operation }) => operation.tags[0] === name),
  }))
}

function renderNavigation(
  document: ApiDocument,
  guide: readonly Section[],
  chapters: readonly Chapter[],
): Html {
  const links = guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
  return html`<nav aria-label="Contents"><p class="name"><a href="#content">${document.info.title}</a></p>
<div class="group"><p>Guide</p><ul>${links}</ul></div>
${chapters.map(
  ({ id, name, entries }) =>
    html`<div class="group"><p><a href="#${id}">${name}</a></p><ul class="operations">${entries.map(
      ({ method, operation }) =>
        html`<li><a href="#${String(operation.operationId)}"><span class="chip ${method}">${method.toUpperCase()}</span> ${String(operation.summary)}</a></li>`,
    )}</ul></div>`,
)}
</nav>`
}

function renderSection({ id, title, content }: Section): Html {
  return html`<section id="${id}"><h2><a href="#${id}">${title}</a></h2>${content}</section>`
}

function renderChapter(document: ApiDocument, { id, name, description, entries }: Chapter): Html {
  return html`<section id="${id}"><h2><a href="#${id}">${name}</a></h2>${prose(description)}
${entries.map(entry => renderOperation(document, entry))}</section>`
}
