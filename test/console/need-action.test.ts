import test from 'ava'
import type { Api } from '../../console/api/client.ts'
import { needAction } from '../../console/screens/home/need-action.ts'
import { can, type Role } from '../../console/session/can.ts'
import { needOf } from './needs.ts'

const as = (role: Role) => ({ address: 'me', may: (action: Parameters<typeof can>[1]) => can(role, action) })
const inWords = (need: Partial<Api['Need']>, role: Role) => {
  const action = needAction(needOf(need), as(role))
  return action.does === 'open' ? [action.label, action.address] : action
}

const runs = (search: Record<string, string>) => ({ to: '/w/$owner/runs', params: { owner: 'me' }, search })
const run = { to: '/w/$owner/runs/$runId', params: { owner: 'me', runId: 'run' } }
const approval = { to: '/w/$owner/approvals', params: { owner: 'me' }, search: { approval: 'a', show: undefined } }

const table: [string, Partial<Api['Need']>, Role, unknown][] = [
  ['an approval is reviewed', { kind: 'approval', approvalId: 'a', runId: 'run' }, 'member', ['Review', approval]],
  ['an approval is seen', { kind: 'approval', approvalId: 'a' }, 'viewer', ['See the approval', approval]],
  [
    'a paused agent is resumed',
    { cause: 'paused', agentId: 'agent', runId: 'run' },
    'member',
    { does: 'resume', label: 'Resume agent', agentId: 'agent' },
  ],
  [
    'the run of a paused agent is opened',
    { cause: 'paused', agentId: 'agent', runId: 'run' },
    'viewer',
    ['Open run', run],
  ],
  [
    'a site for which runs wait is reconnected',
    { cause: 'credential', vaultEntryId: 'entry', runId: 'run' },
    'member',
    { does: 'reconnect', label: 'Reconnect', vaultEntryId: 'entry' },
  ],
  [
    'a credential is renewed',
    { kind: 'credential', vaultEntryId: 'entry' },
    'owner',
    { does: 'reconnect', label: 'Reconnect', vaultEntryId: 'entry' },
  ],
  [
    'the runs that wait for a credential are shown',
    { kind: 'credential', vaultEntryId: 'entry' },
    'viewer',
    ['See waiting runs', runs({ status: 'waiting' })],
  ],
  [
    'the failed runs of an agent are shown, not only the latest',
    { kind: 'failing', agentId: 'agent', runId: 'run' },
    'owner',
    ['See failed runs', runs({ agentId: 'agent', status: 'failed' })],
  ],
  [
    'the deliveries before the silence are shown',
    { kind: 'silent', agentId: 'agent' },
    'owner',
    ['See deliveries', runs({ agentId: 'agent', trigger: 'webhook' })],
  ],
  [
    'the runs that wait for a model are shown',
    { kind: 'model', model: 'm' },
    'owner',
    ['See waiting runs', runs({ status: 'waiting' })],
  ],
  [
    'what can be done without credits can be read',
    { cause: 'credits', agentId: 'agent', runId: 'run' },
    'owner',
    { does: 'read', label: 'What to do', href: '/docs/how-to/caps-and-credits' },
  ],
  ['a block without a known cause leads to its run', { runId: 'run', agentId: 'agent' }, 'owner', ['Open run', run]],
  [
    'a block without a run leads to the runs of its agent',
    { agentId: 'agent' },
    'owner',
    ['See runs', runs({ agentId: 'agent' })],
  ],
  ['a block of several agents leads to all runs', {}, 'owner', ['See runs', runs({})]],
]

for (const [what, need, role, expected] of table)
  test(`on the home page, ${what} (${role})`, (t) => t.deepEqual<unknown, unknown>(inWords(need, role), expected))
