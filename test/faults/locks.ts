import { accepting } from '../../migrations/baseline/accepting.ts'
import { Approval } from '../../src/approvals/approval.ts'
import { createDecide } from '../../src/approvals/decide.ts'
import { createLease } from '../../src/database/lease.ts'
import { assertThat } from '../../src/errors.ts'
import { createAccountTokens } from '../../src/users/account-tokens.ts'
import { createCodeCheck } from '../../src/users/code-check.ts'
import { lockOwner } from '../../src/users/user.ts'
import { createEntries } from '../../src/vault/entries.ts'
import { createRemoval } from '../../src/vault/removal.ts'
import { calling, reworded, unchained, without } from './edits.ts'
import { within, type Fault } from './fault.ts'

/** A lock is missing, too weak, or waited for by those that it does not concern. */
export const locks: Fault[] = [
  {
    id: 'locks/one-queue-delays-all',
    in: { accepting },
    edit: reworded(' skip locked for share of a skip locked', ' for share of a'),
    why: 'one locked queue delays the deliveries of everybody',
    tests: ['test/src/runs/accept/accept.test.ts'],
  },
  {
    id: 'locks/accepted-while-deleted',
    in: { accepting },
    edit: reworded('of q for share of a)', 'of q for key share of a)'),
    why: 'a fire is accepted for an agent that is being deleted, and its run stays',
    tests: ['test/src/runs/accept/undecided-runs.test.ts'],
  },
  {
    id: 'locks/removed-while-taken-up',
    in: createRemoval,
    edit: unchained('forUpdate', '[callee.object.callee.property.name="findById"]'),
    why: 'an agent that takes up a site while it is removed loses it, and nobody is told',
    tests: ['test/src/vault/removal.test.ts'],
  },
  {
    id: 'locks/sites-beyond-limit',
    in: createEntries,
    edit: without(`TryStatement ${calling(lockOwner)}`),
    why: 'requests at the same instant connect more sites together than the tier allows',
    tests: ['test/api/limits-at-once.test.ts'],
  },
  {
    id: 'locks/code-used-twice',
    in: createCodeCheck,
    edit: unchained('forUpdate'),
    why: 'of simultaneous logins with one code several succeed, and hundreds of guesses count as one',
    tests: ['test/api/totp.test.ts'],
  },
  {
    id: 'locks/mailed-token-used-twice',
    ...within(createAccountTokens, 'take'),
    edit: without(calling(assertThat)),
    why: 'of two uses of a mailed token at the same time both succeed',
    tests: ['test/api/account-mails.test.ts'],
  },
  {
    id: 'locks/decided-twice',
    ...within(createDecide, 'decide'),
    edit: unchained('forUpdate', `[callee.object.callee.object.callee.object.name="${Approval.name}"]`),
    why: 'two who decide at the same instant are both told that their decision holds',
    tests: ['test/src/approvals/approvals.test.ts'],
  },
  {
    id: 'locks/lease-of-two',
    in: createLease,
    edit: reworded('leases.expires_at < statement_timestamp()', 'true'),
    why: 'two processes do what only one may do at a time',
    tests: ['test/src/database/lease.test.ts'],
  },
]
