import { createAccept } from '../../src/runs/accept/accept.ts'
import { createRepeats } from '../../src/runs/accept/repeated-requests.ts'
import { createEnd } from '../../src/runs/ending/end-run.ts'
import { createClaim } from '../../src/runs/queue/claim-run.ts'
import { agentQueue } from '../../workflows/agent-queue.ts'
import { agentRun } from '../../workflows/agent-run.ts'
import { reworded, swapped, without } from './edits.ts'
import type { Fault } from './fault.ts'

/** Things happen in another order, or the next thing does not happen. */
export const order: Fault[] = [
  {
    id: 'order/claimed-by-id',
    in: createClaim,
    edit: reworded('order by r.sequence', 'order by r.id'),
    why: 'the runs of an agent are not carried out in the order of their arrival',
    tests: ['test/src/runs/stale-epochs.test.ts'],
  },
  {
    id: 'order/locked-are-overtaken',
    in: createAccept,
    edit: swapped('ArrayExpression > SpreadElement[argument.name="undecided"]'),
    why: 'deliveries that had to wait for a lock are overtaken by later ones',
    tests: ['test/src/runs/accept/accept.test.ts'],
  },
  {
    id: 'order/ended-keeps-queue',
    in: createEnd,
    edit: reworded('nullif(running_run_id, :runId)', 'running_run_id'),
    why: 'a run that has ended keeps the next one of its agent from being started',
    tests: ['test/src/runs/stale-epochs.test.ts'],
  },
  {
    id: 'order/wake-lost-while-claiming',
    in: agentQueue,
    edit: swapped('ForStatement > BlockStatement > ExpressionStatement:has(> [right.value=false])'),
    why: 'a delivery that comes while its queue falls asleep waits for the reconciler',
    tests: ['test/workflows/drain.slow.ts'],
  },
  {
    id: 'order/resume-lost',
    in: agentRun,
    edit: swapped('ForStatement > BlockStatement > ExpressionStatement:has(> [right.value=false])'),
    why: 'a resume that comes a moment before the wait begins is lost',
    tests: ['test/workflows/in-temporal.test.ts'],
  },
  {
    id: 'order/refused-before-repeat',
    in: createRepeats,
    edit: without('IfStatement:has(> ReturnStatement)'),
    why: 'a delivery that is repeated after the credits were used up is refused, and its sender tries for days',
    tests: ['test/src/webhooks/idempotency.test.ts'],
  },
]
