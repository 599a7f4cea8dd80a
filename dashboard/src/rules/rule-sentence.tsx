// A rule as a sentence, with what it is about set off.
import { Fragment } from 'react'
import { signed } from '../ui/numbers.ts'
import './rules.css'
import { type Sayable, sayConditions, sayCooldown } from './rule-words.ts'

export function RuleSentence({ rule }: { rule: Sayable }) {
  const rest = sayCooldown(rule.cooldown)
  return (
    <span className="rule-sentence">
      When <code>{rule.event_type || '…'}</code> happens
      {sayConditions(rule.conditions).map(({ field, words, value }) => (
        <Fragment key={`${field} ${words}`}>
          {' '}
          and <code>{field}</code>
          {words && ` ${words}`}
          {value && (
            <>
              {' '}
              <em>{value}</em>
            </>
          )}
        </Fragment>
      ))}
      ,{' '}
      <strong className={rule.impact < 0 ? 'bad number' : 'good number'}>
        {signed(rule.impact)}
      </strong>
      {rest && (
        <>
          , at most once in <span className="nowrap">{rest}</span>
        </>
      )}
      {rule.exclusive && ', and no rule after it'}
    </span>
  )
}
