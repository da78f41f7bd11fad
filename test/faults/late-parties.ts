import { createDecide } from '../../src/approvals/decide.ts'
import { createPollGateway } from '../../src/billing/poll-gateway.ts'
import { asSeen } from '../../src/loop/call-ledger.ts'
import { createEnd } from '../../src/runs/ending/end-run.ts'
import { createRepairs } from '../../src/runs/reconcile/repairs.ts'
import { lockRun } from '../../src/runs/record.ts'
import { createRunLedger } from '../../src/runs/step/call-ledger.ts'
import { createUsers } from '../../src/users/users.ts'
import { createOAuthReturn } from '../../src/vault/oauth/oauth-return.ts'
import { createRefresh } from '../../src/vault/refresh/refresh.ts'
import { always, instead, without } from './edits.ts'
import { within, type Fault } from './fault.ts'

const lateParty = 'test/src/runs/stale-epochs.test.ts'
const lateCalls = 'test/src/runs/late-calls.test.ts'
const lateGrants = 'test/src/vault/oauth/late-grants.test.ts'

/** What comes too late is let in. These are second lines of defence, which the first hides while it holds. */
export const lateParties: Fault[] = [
  {
    id: 'late/writes-under-old-epoch',
    in: lockRun,
    edit: always(true, 'BinaryExpression:has(MemberExpression[property.name="epoch"])'),
    why: 'an execution that was given up writes for the one that took over',
    tests: [lateParty],
  },
  {
    id: 'late/claims-for-lost-queue',
    ...within(createEnd, 'endAndClaim'),
    edit: without('BinaryExpression[left.name="claimedBy"]'),
    why: 'the end of a run claims the next one for an execution of the queue that was given up',
    tests: ['test/src/runs/ending/end-and-claim.test.ts'],
  },
  {
    id: 'late/takes-over-under-same-epoch',
    in: createRepairs,
    edit: instead('run.epoch', 'VariableDeclarator > BinaryExpression[operator="+"][left.property.name="epoch"]'),
    why: 'what is left of an execution that was given up writes for the one that took over',
    tests: ['test/src/runs/late-attempts.test.ts'],
  },
  {
    id: 'late/sends-for-cancelled',
    in: createRunLedger,
    edit: without('LogicalExpression > [property.name="cancelRequestedAt"]'),
    why: 'a call is sent although its run was cancelled in the meantime',
    tests: [lateCalls],
  },
  {
    id: 'late/overwrites-settled-call',
    in: asSeen,
    edit: without('[callee.property.name="where"] Property[shorthand=true][key.name="status"]'),
    why: 'an attempt overwrites what was settled in the meantime',
    tests: [lateCalls],
  },
  {
    id: 'late/two-attempts-send',
    in: asSeen,
    edit: without('[callee.property.name="where"] Property[shorthand=true][key.name="attempts"]'),
    why: 'two attempts that have looked at the same time both send the call',
    tests: [lateCalls],
  },
  {
    id: 'late/grant-of-deleted-entry',
    in: createRefresh,
    edit: without('IfStatement:has([right.value="granted"]):has([right.value="gone"])'),
    why: 'a grant that arrives after its entry was deleted lives on at the site',
    tests: [lateGrants],
  },
  {
    id: 'late/tokens-after-reconnection',
    in: createRefresh,
    edit: without('IfStatement[test.left.property.name="generation"]'),
    why: 'late tokens replace those of a reconnection',
    tests: [lateGrants],
  },
  {
    id: 'late/state-used-twice',
    in: createOAuthReturn,
    edit: without('Property[key.name="status"][value.value="pending"]'),
    why: 'two returns from a site at once both use one state',
    tests: [lateGrants],
  },
  {
    id: 'late/approved-after-expiry',
    in: createDecide,
    edit: always(false, 'IfStatement > BinaryExpression[left.property.name="expiresAt"]'),
    why: 'a call is made long after its time, because nobody had looked at it',
    tests: ['test/src/approvals/approvals.test.ts'],
  },
  {
    id: 'late/older-look',
    in: createPollGateway,
    edit: without('IfStatement[test.left.property.name="lookApplied"]'),
    why: 'news of a subscription that come late undo a change of the tier',
    tests: ['test/src/billing/subscriptions.test.ts'],
  },
  {
    id: 'late/older-password',
    in: createUsers,
    edit: without('[callee.property.name="where"] Property[key.name="passwordHash"]'),
    why: 'a thief who knows the old password takes back a change that was made a moment before',
    tests: ['test/src/users/users.test.ts'],
  },
]
