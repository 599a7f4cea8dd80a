// Whatever a name holds, the page keeps its shape: no tag, no attribute, no script and no template comes of it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, printHtml } from './html.ts'

const show = (text: string) => printHtml(html`<p title="${text}">${text}</p>`)

test.each([
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['" onmouseover="alert(1)', '&quot; onmouseover=&quot;alert(1)'],
  ["' autofocus '", '&#39; autofocus &#39;'],
  ['</script><script>', '&lt;/script&gt;&lt;script&gt;'],
  ['{{7*7}} $\u007b7*7}', '{{7*7}} $\u007b7*7}'],
  ['\u202eevil\u2066', 'evil'],
])('%j is shown as text', (given, shown) => {
  expect(show(given)).toBe(`<p title="${shown}">${shown}</p>`)
})

test('no text opens a tag or ends an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
      const page = show(text)
      expect(page.match(/</g)).toHaveLength(2)
      expect(page.match(/"/g)).toHaveLength(2)
    }),
  )
})
