import type { Evidence } from './evidence.ts'
import { findNotToBeSent, findRepeatedOnce, findUnseen } from './questions/calls.ts'
import { findDoubled } from './questions/doubled.ts'
import { findEndless, findFailed } from './questions/endings.ts'
import { findLost } from './questions/lost.ts'
import { findWrongMoney } from './questions/money.ts'
import { findReordered } from './questions/order.ts'
import { findLostGrants } from './questions/refreshes.ts'

/**
 * What a storm must not do, each as a search for what contradicts it. A finding is a sentence for the person who looks
 * for the cause.
 */
const questions = {
  lost: findLost,
  reordered: findReordered,
  doubled: findDoubled,
  'once repeated': findRepeatedOnce,
  'not to be sent': findNotToBeSent,
  'grants lost': findLostGrants,
  'ledger wrong': findWrongMoney,
  'without an end': findEndless,
  failed: findFailed,
  'never seen by the site': findUnseen,
  'secrets in logs': findLeaks,
} as const satisfies Record<string, (evidence: Evidence) => string[]>

export type Question = keyof typeof questions
export type Verdict = Record<Question, string[]>

export const judge = (evidence: Evidence): Verdict =>
  Object.fromEntries(Object.entries(questions).map(([name, search]) => [name, search(evidence)])) as Verdict

/** The finding does not contain the secret. */
function findLeaks({ logs, secrets }: Evidence): string[] {
  return logs.flatMap(({ name, text }) =>
    secrets
      .filter(({ value }) => text.includes(value))
      .map((secret) => `the log of ${name} contains a secret: ${secret.name}`),
  )
}
