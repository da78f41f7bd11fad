import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import type { AgentState, FirstRun } from '../../../src/needs/agent-state.ts'
import { approvalNeed } from '../../../src/needs/approvals.ts'
import { blockedNeeds, stoppedNeeds, type Around } from '../../../src/needs/blocked.ts'
import { credentialNeeds, type Credential } from '../../../src/needs/credentials.ts'
import { modelNeeds } from '../../../src/needs/models.ts'

const now = new Date('2026-11-21T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const ahead = (seconds: number) => ago(-seconds)
const site = 'https://crm.example.com'

const run: FirstRun = {
  id: 'r4',
  agentId: 'a1',
  sequence: 4,
  trigger: 'webhook',
  status: 'queued',
  acceptedAt: ago(600),
  startedAt: null,
  waitingCause: null,
  waitingFor: null,
  waitingSince: null,
  waitingUntil: null,
}
const idle: AgentState = {
  id: 'a1',
  ownerId: 'o1',
  name: 'Sorter',
  trigger: 'webhook',
  model: null,
  pausedAt: null,
  pausedReason: null,
  exceedingSince: null,
  movedSequence: null,
  creditsLeft: null,
  unfinished: 0,
  lastSequence: 5,
  blockedCause: null,
  blockedSince: null,
  first: null,
}
const queued: AgentState = { ...idle, unfinished: 2, first: run }
const waits = (waitingCause: FirstRun['waitingCause'], waitingFor: string | null = null): AgentState => {
  const wait = { waitingCause, waitingFor, waitingSince: ago(60), waitingUntil: ahead(3600) }
  return { ...idle, unfinished: 3, first: { ...run, status: 'waiting', startedAt: ago(120), ...wait } }
}

const features = ['manual', 'scheduled', 'webhooks'] as const
const standing: Around['standing'] = { balance: 100, cap: null, features, subscription: null, isSuspended: false }
const broke = { ...standing, balance: 0 }
const dead = { authType: 'bearer' as const, status: 'needs_reauth' as const }
const entry = { id: 'v1', name: 'CRM', ...dead, statusReason: 'The site refuses the token.' }
const around: Around = { standing, disconnected: new Map([[site, entry]]), queueBlockedSeconds: 86_400 }
const pastDue = {
  tier: 'pro' as const,
  status: 'past_due' as const,
  currentPeriodEnd: ago(60),
  nextTier: null,
  cancelledAt: null,
}

for (const { title, agent, given = standing, expected, message = '', action = /./ } of [
  { title: 'an idle agent', agent: idle, expected: [] },
  { title: 'a queue that is about to start', agent: queued, expected: [] },
  { title: 'a run that waits for a slot at its site', agent: waits('rate_limit', site), expected: [] },
  { title: 'a run that waits for its model', agent: waits('model', 'demo'), expected: [] },
  { title: 'a run that waits for an approval', agent: waits('approval', site), expected: [] },
  { title: 'an agent that its owner paused without runs', agent: { ...idle, pausedAt: ago(60) }, expected: [] },
  {
    title: 'a paused agent with queued runs',
    agent: { ...queued, pausedAt: ago(60) },
    expected: [{ since: ago(60), until: null, runId: 'r4', count: 2 }],
    message: 'The agent “Sorter” has been paused since 2026-11-21T11:59:00Z, so 2 runs are waiting.',
    action: /^Resume the agent with POST \/agents\/a1\/resume/,
  },
  {
    title: 'an agent that an outage paused without runs',
    agent: { ...idle, pausedAt: ago(60), pausedReason: 'MODEL_UNAVAILABLE' as const },
    expected: [{ since: ago(60), until: null, runId: null, count: 0 }],
    message:
      'The agent “Sorter” has been paused since 2026-11-21T11:59:00Z because its AI model was unavailable for a day, so it starts no runs.',
  },
  {
    title: 'a run that waits for a site to be reconnected',
    agent: waits('credential', site),
    expected: [{ since: ago(60), until: ahead(3600), runId: 'r4', site, vaultEntryId: 'v1', count: 3 }],
    message:
      '3 runs of “Sorter” are waiting for “CRM” (https://crm.example.com) to be reconnected. Run 4 will fail at 2026-11-21T13:00:00Z unless this changes.',
    action: /PATCH \/vault\/v1 \(this loses nothing/,
  },
  { title: 'a site that was just reconnected', agent: waits('credential', 'https://other.example.com'), expected: [] },
  {
    title: 'a begun run without credits',
    agent: waits('credits'),
    given: broke,
    expected: [{ since: ago(60), until: ahead(3600), runId: 'r4', count: 3 }],
    message:
      '3 runs of “Sorter” are waiting because you have no credits left. Run 4 will fail at 2026-11-21T13:00:00Z unless this changes.',
    action: /POST \/billing\/subscription/,
  },
  { title: 'a begun run that has credits again', agent: waits('credits'), expected: [] },
  {
    title: 'a queue without credits',
    agent: { ...queued, blockedCause: 'credits' as const, blockedSince: ago(300) },
    given: broke,
    expected: [{ since: ago(300), until: ahead(86_100), runId: 'r4', count: 2 }],
  },
  {
    title: 'a queue beyond the cap of its agent, which does not fail',
    agent: { ...queued, creditsLeft: 0, blockedCause: 'credits' as const, blockedSince: ago(300) },
    expected: [{ since: ago(300), until: null, count: 2 }],
    message: "2 runs of “Sorter” are waiting because the agent's monthly credit cap has been reached.",
    action: /PATCH \/agents\/a1/,
  },
  {
    title: 'a queue with two unpaid charges',
    agent: queued,
    given: { ...broke, subscription: pastDue },
    expected: [{ since: null }, { since: null }],
    message: '2 runs of “Sorter” are waiting because your subscription payment is overdue.',
  },
  {
    title: 'one run of a paused agent without credits',
    agent: { ...queued, unfinished: 1, pausedAt: ago(60) },
    given: broke,
    expected: [{ since: ago(60) }],
    message: 'The agent “Sorter” has been paused since 2026-11-21T11:59:00Z, so 1 run is waiting.',
  },
]) {
  test(`${title} has ${expected.length === 0 ? 'no item' : `${expected.length} of its own`}`, (t) => {
    const needs = blockedNeeds(agent, { ...around, standing: given })
    t.is(needs.length, expected.length)
    for (const [index, parts] of expected.entries()) {
      t.like(needs[index], { kind: 'blocked', agentId: 'a1', agentName: 'Sorter', ...parts })
    }
    if (message !== '') t.is(needs[0]?.message, message)
    for (const need of needs) t.regex(need.action, action)
  })
}

test('agents without runs that cannot start any share an item per payment, unless their own cap stops them', (t) => {
  const named = (id: string, parts: Partial<AgentState> = {}) => ({ ...idle, id, name: id, ...parts })
  const agents = [
    named('one'),
    named('two'),
    named('capped', { creditsLeft: -5 }),
    named('paused', { pausedAt: ago(1) }),
    named('busy', { unfinished: 1, first: run }),
  ]
  t.deepEqual(stoppedNeeds([named('one')], around), [])
  const [shared, own, ...others] = stoppedNeeds(agents, { ...around, standing: broke })
  t.deepEqual(others, [])
  t.like(shared, {
    cause: 'credits',
    agentId: null,
    count: 0,
    message: 'Runs cannot start for 2 agents because you have no credits left.',
  })
  t.like(own, { agentId: 'capped', count: 0 })
  t.regex(own?.message ?? '', /^Runs cannot start for “capped” because the agent's monthly credit cap/)
})

const credential: Credential['entry'] = {
  id: 'v1',
  name: 'CRM',
  origin: site,
  authType: 'oauth2',
  status: 'connected',
  statusReason: null,
  expiresAt: null,
  refreshAfter: null,
  updatedAt: ago(500),
}
const days = 86_400

type Given = Partial<Credential['entry']> & { isRefreshable?: boolean }

for (const { title, given, expected } of [
  { title: 'without an end', given: {}, expected: null },
  { title: 'that is refreshed', given: { expiresAt: ahead(60), isRefreshable: true }, expected: null },
  { title: 'that lasts for more than a week', given: { expiresAt: ahead(7 * days + 1) }, expected: null },
  {
    title: 'that ends within a week',
    given: { expiresAt: ahead(7 * days) },
    expected: {
      since: null,
      until: ahead(7 * days),
      message:
        'The credential for “CRM” (https://crm.example.com) expires at 2026-11-28T12:00:00Z and cannot be refreshed.',
    },
  },
  { title: 'that has ended', given: { expiresAt: ago(60) }, expected: { since: ago(60), until: null } },
  {
    title: 'that its site does not refresh',
    given: { isRefreshable: true, statusReason: 'Try later.', refreshAfter: ago(90), expiresAt: ahead(60) },
    expected: {
      since: ago(90),
      until: ahead(60),
      message: '“CRM” (https://crm.example.com) is refusing to refresh its credential. Try later.',
    },
  },
  {
    title: 'that its site refuses',
    given: { status: 'needs_reauth' as const, statusReason: 'The grant was revoked.' },
    expected: {
      since: ago(500),
      until: null,
      message: '“CRM” (https://crm.example.com) must be reconnected. The grant was revoked.',
    },
  },
]) {
  test(`a credential ${title} ${expected ? 'needs a person' : 'needs nobody'}`, (t) => {
    const { isRefreshable = false, ...changed }: Given = given
    const [need, ...others] = credentialNeeds({ entry: { ...credential, ...changed }, isRefreshable }, [], now)
    t.deepEqual(others, [])
    t.is(need === undefined, expected === null)
    if (!expected) return
    t.like(need, { kind: 'credential', vaultEntryId: 'v1', site, count: 0, ...expected })
    t.regex(need?.action ?? '', /^Authorize the site again .*"entryId": "v1"/)
  })
}

test('a dead credential counts the runs that wait for it, and names when the first of them fails', (t) => {
  const soon = waits('credential', site)
  const sooner = { ...soon, first: { ...soon.first!, waitingUntil: ahead(30) } }
  const agents = [soon, sooner, waits('credential', 'https://other.example.com'), waits('model', site)]
  const [need] = credentialNeeds({ entry: { ...credential, ...dead }, isRefreshable: false }, agents, now)
  t.like(need, { until: ahead(30), count: 2 })
  t.regex(need?.action ?? '', /^To replace the site's token, use PATCH \/vault\/v1/)
})

test('an approval names its run or its chat, its tool and its site', (t) => {
  const approval = {
    id: 'p1',
    formNumber: 0,
    siteOrigin: site,
    tool: 'createContact',
    requestedAt: ago(60),
    expiresAt: ahead(60),
    runId: 'r4',
    agentId: 'a1',
    sequence: 4,
    agentName: 'Sorter',
  }
  const need = approvalNeed(approval)
  t.like(need, {
    kind: 'approval',
    since: ago(60),
    until: ahead(60),
    runId: 'r4',
    agentId: 'a1',
    approvalId: 'p1',
    site,
  })
  t.is(
    need.message,
    'Run 4 of “Sorter” wants to call “createContact” at https://crm.example.com. At 2026-11-21T12:01:00Z, it will continue without the call.',
  )
  t.regex(need.action, /GET \/approvals\/p1\. .* POST \/approvals\/p1 \(this is final/)
  const chat = approvalNeed({ ...approval, runId: null, agentId: null, sequence: null, agentName: null })
  t.regex(chat.message, /^A chat wants to call/)
  const form = approvalNeed({ ...approval, formNumber: 1 })
  t.regex(form.message, /^Run 4 of “Sorter” needs input for its call of “createContact” at/)
  t.regex(form.action, /^To read the form, use GET \/approvals\/p1\. To answer or refuse/)
})

test('a model that is out is named if an agent uses it or a run waits for it', (t) => {
  const outage = { model: 'large', beganAt: ago(3600), message: 'The AI provider could not be reached.' }
  const budgets = { waitSeconds: 86_400 } as Parameters<typeof modelNeeds>[2]['budgets']
  const settings = { now, defaultModel: 'small', budgets }
  const needOf = (agents: AgentState[], model = 'large') => modelNeeds({ ...outage, model }, agents, settings)
  t.deepEqual(needOf([idle, { ...idle, model: 'other' }]), [])
  t.is(needOf([idle], 'small').length, 1, 'the default model')
  const [used] = needOf([{ ...idle, model: 'large' }])
  t.like(used, { kind: 'model', model: 'large', since: ago(3600), until: null, count: 0 })
  t.is(
    used?.message,
    'The AI model large has been unavailable since 2026-11-21T11:00:00Z. The AI provider could not be reached. 1 agent uses it.',
  )
  const [waiting] = needOf([waits('model', 'large')])
  t.like(waiting, { until: ahead(86_400 - 3600), count: 1 })
  t.regex(waiting?.message ?? '', / The first waiting run will fail at 2026-11-22T11:00:00Z\.$/)
})

test('no item names a request but through the table of actions', (t) => {
  const folder = new URL('../../../src/needs/', import.meta.url)
  for (const name of readdirSync(folder))
    t.notRegex(readFileSync(new URL(name, folder), 'utf8'), /\b(GET|POST|PUT|PATCH|DELETE) \//, name)
})
