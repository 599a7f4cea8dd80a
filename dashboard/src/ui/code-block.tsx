// Text as machines wrote it: JSON is laid out for reading, all of it can be copied.
import { CopyButton, UnstyledButton } from '@mantine/core'
import './code-block.css'
import { spelt } from './sentence.ts'

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

type Props = { text: string; what: string }

export function CodeBlock({ text, what }: Props) {
  return (
    <section className="code-block" aria-label={what}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{spelt(layOut(text))}</pre>
      <CopyButton value={text} timeout={1500}>
        {({ copied, copy }) => (
          <UnstyledButton className="code-copy" onClick={copy} aria-label={`Copy ${what}`}>
            {copied ? 'Copied' : 'Copy'}
          </UnstyledButton>
        )}
      </CopyButton>
    </section>
  )
}
