// How something stands, in a word with a mark: the shape says it without the colour.
import type { ReactNode } from 'react'
import './status-mark.css'

export type Tone = 'good' | 'bad' | 'waiting' | 'idle'

const MARKS: Record<Tone, string> = { good: '●', bad: '■', waiting: '◆', idle: '○' }

export function StatusMark({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="status-mark" data-tone={tone}>
      <span aria-hidden="true" className="status-shape">
        {MARKS[tone]}
      </span>
      <span>{children}</span>
    </span>
  )
}
