// One operation on the docs page: what it does, what it takes, what it answers, and a line to try it.
import { type Html, html } from '../platform/html.ts'
import type { ApiDocument } from '../platform/openapi.ts'
import { exampleOf, type Schema } from '../platform/openapi-schemas.ts'
import { codeSpans, prose } from './prose.ts'
import { describeType, type FieldRow, listFields, resolveSchema } from './schema-fields.ts'

export type Entry = { method: string; path: string; operation: Schema }

type Media = { schema: Schema; example: unknown }

export function renderOperation(document: ApiDocument, { method, path, operation }: Entry): Html {
  const id = String(operation.operationId)
  const isForPeople = JSON.stringify(operation.security) === '[{"session":[]}]'
  return html`<article id="${id}">
<h3><a href="#${id}">${String(operation.summary)}</a></h3>
<p class="line"><span class="chip ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code>
${renderRight(operation, isForPeople)}</p>
${prose(String(operation.description))}
${renderParameters(document, (operation.parameters ?? []) as Schema[])}
${renderBody(document, operation.requestBody as Schema | undefined)}
${isForPeople ? null : renderCurl(document, { method, path, operation })}
${renderAnswers(document, operation.responses as Record<string, Schema>)}
</article>`
}

function renderRight(operation: Schema, isForPeople: boolean): Html | null {
  const scope = operation['x-required-scope']
  if (!scope) return null
  const words = scope === 'any' ? 'any credential' : String(scope)
  return html`<span class="scope">${isForPeople ? 'people in the dashboard' : words}</span>`
}

function renderParameters(document: ApiDocument, parameters: readonly Schema[]): Html | null {
  if (parameters.length === 0) return null
  const rows = parameters.map(one => {
    const parameter = resolveSchema(document, one)
    return {
      name: String(parameter.name),
      type: `${parameter.in}: ${describeType(document, parameter.schema as Schema)}`,
      required: parameter.required === true,
      description: String(parameter.description),
    }
  })
  return html`<h4>Parameters</h4>${renderRows(rows)}`
}

export function renderRows(rows: readonly FieldRow[]): Html {
  const lines = rows.map(
    row => html`<tr><th scope="row"><code>${row.name}</code>${row.required && html` <em>required</em>`}</th>
<td class="type">${row.type}</td><td>${codeSpans(row.description)}</td></tr>`,
  )
  return html`<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th
scope="col">Meaning</th></tr></thead><tbody>${lines}</tbody></table></div>`
}

function mediaOf(part: Schema | undefined): Media | undefined {
  return (part?.content as Record<string, Media> | undefined)?.['application/json']
}

function renderBody(document: ApiDocument, body: Schema | undefined): Html | null {
  const media = mediaOf(body)
  if (!media) return null
  return html`<h4>Body</h4>${renderRows(listFields(document, media.schema))}${renderJson(media.example)}`
}

export function renderJson(value: unknown): Html {
  return html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`
}

function renderAnswers(document: ApiDocument, answers: Record<string, Schema>): Html {
  const all = Object.entries(answers).map(
    ([status, raw]) => [status, resolveSchema(document, raw)] as const,
  )
  const good = all.filter(([status]) => status.startsWith('2'))
  const bad = all.filter(([status]) => !status.startsWith('2'))
  return html`<h4>Answers</h4>${good.map(([status, answer]) => renderSuccess(document, status, answer))}
<details><summary>Errors: ${bad.map(([status]) => status).join(', ')}</summary><dl class="errors">${bad.map(
    ([status, answer]) => html`<dt>${status}</dt><dd>${codeSpans(String(answer.description))}</dd>`,
  )}</dl></details>`
}

function renderSuccess(document: ApiDocument, status: string, answer: Schema): Html {
  const media = mediaOf(answer)
  const fields = media ? listFields(document, media.schema) : []
  return html`<p class="status"><span>${status}</span> ${codeSpans(String(answer.description))}</p>
${media && renderJson(media.example)}${
  fields.length > 0 && html`<details><summary>Fields</summary>${renderRows(fields)}</details>`
}`
}

function renderCurl(document: ApiDocument, { method, path, operation }: Entry): Html {
  const parts = [`curl "$BELLWETHER_URL${fillPath(document, path, operation)}"`]
  if (method !== 'get') parts[0] = parts[0]!.replace('curl', `curl -X ${method.toUpperCase()}`)
  if (operation['x-required-scope']) parts.push('-H "Authorization: Bearer $BELLWETHER_KEY"')
  const media = mediaOf(operation.requestBody as Schema | undefined)
  if (media) {
    parts.push('-H "Content-Type: application/json"')
    parts.push(`-d '${JSON.stringify(media.example).replaceAll("'", "'\\''")}'`)
  }
  return html`<h4>Try it</h4><pre class="command"><code>${parts.join(' \\\n  ')}</code></pre>`
}

function fillPath(document: ApiDocument, path: string, operation: Schema): string {
  const parameters = ((operation.parameters ?? []) as Schema[]).map(one =>
    resolveSchema(document, one),
  )
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find(one => one.in === 'path' && one.name === name)
    const example = parameter?.example ?? exampleOf((parameter?.schema ?? {}) as Schema)
    return String(example ?? name)
  })
}
