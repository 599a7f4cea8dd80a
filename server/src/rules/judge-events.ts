// Which rules mean which events. A tenant's rules may take long to judge by: others have their turn in between.
import {
  type CompiledRule,
  inOrder,
  type MatchableEvent,
  type RuleBook,
  rulesOfType,
} from '../../../scoring/rules.ts'
import { createPauses } from '../platform/in-pauses.ts'

/** For each event what `candidates` says of it. */
export async function judgeEvents(
  book: RuleBook,
  events: readonly MatchableEvent[],
): Promise<CompiledRule[][]> {
  const pauses = createPauses()
  const judged: CompiledRule[][] = []
  for (const event of events) {
    const found: CompiledRule[] = []
    for (const rules of rulesOfType(book, event.type)) {
      for (const rule of rules) {
        if (rule.matches(event)) found.push(rule)
        if (pauses.isDue()) await pauses.take()
      }
    }
    judged.push(inOrder(found))
  }
  return judged
}
