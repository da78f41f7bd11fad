import { accepting } from '../../migrations/baseline/accepting.ts'
import { createRecipients } from '../../src/webhooks/recipients.ts'
import { createWebhooks } from '../../src/webhooks/webhooks.ts'
import { always, reworded, without } from './edits.ts'
import type { Fault } from './fault.ts'

const remembered = 'test/src/webhooks/remembered.test.ts'

/** A delivery is judged by what no longer holds, or a batch is decided in another order. */
export const judged: Fault[] = [
  {
    id: 'judged/by-old-version',
    in: { accepting },
    edit: reworded('r.version <> v.version or ', ''),
    why: 'whoever has a secret that was rotated, or is suspended, goes on delivering to a process that remembers',
    tests: [remembered],
  },
  {
    id: 'judged/by-old-tokens',
    in: { accepting },
    edit: reworded(' or r.tokens <= v.tokens', ''),
    why: 'an account whose tokens are used up goes on accepting deliveries',
    tests: ['test/src/webhooks/remembered-accounts.test.ts'],
  },
  {
    id: 'judged/refusal-by-memory',
    in: createWebhooks,
    edit: without('FunctionDeclaration[id.name="judgeByMemory"] CatchClause IfStatement'),
    why: 'deliveries with a new secret, or after a payment, are refused until the process forgets',
    tests: [remembered],
  },
  {
    id: 'judged/end-ignored',
    in: createRecipients,
    edit: always(true, 'VariableDeclarator[id.name="isLasting"] BinaryExpression'),
    why: 'a replaced secret is good after its overlap',
    tests: ['test/src/webhooks/by-the-clock.test.ts'],
  },
  {
    id: 'judged/out-of-order',
    in: { accepting },
    edit: reworded(
      'row_number() over (partition by j.agent order by j.place)',
      'row_number() over (partition by j.agent)',
    ),
    why: 'the deliveries of a batch are numbered in another order than that of their arrival',
    tests: ['test/src/runs/accept/undecided-runs.test.ts', 'test/src/runs/accept/accept-runs.test.ts'],
  },
]
