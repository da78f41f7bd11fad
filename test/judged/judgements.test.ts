import test from 'ava'
import { contradictions, misjudged, outcomesOf, type Recorded, type Sent, type Stretch } from './judgements.ts'
import { newAccount, stateOf, type AccountFacts, type AgentFacts, type State } from './states.ts'

const agent: AgentFacts = {
  receives: true,
  proof: 'secret',
  secret: 'new',
  former: null,
  needsLabel: false,
  isCapped: false,
  isShared: false,
}
const owners = { userId: 'user', workspaceId: 'workspace' }
const account = newAccount({ paidTier: 'team', givenTier: 'free' })
const good = stateOf(owners, account, agent)
const plain = { secret: 'new', proofs: ['secret'] as const, hasLabel: false }
const former = { secret: 'old', endsFrom: 100, endsTo: 110 }

const states: [title: string, Partial<AccountFacts>, Partial<AgentFacts>, Partial<State>][] = [
  ['a good account pays', {}, {}, { refusal: null, canPay: true, ownerId: 'user' }],
  ['a shared agent belongs to the workspace', {}, { isShared: true }, { refusal: null, ownerId: 'workspace' }],
  ['closing comes before suspension', { isClosing: true, isSuspended: true }, {}, { refusal: 'TIER_REQUIRED' }],
  ['a suspended account', { isSuspended: true, isPastDue: true }, {}, { refusal: 'PERMISSION_DENIED' }],
  ['the free tier', { paidTier: 'free' }, {}, { refusal: 'TIER_REQUIRED' }],
  ['the higher of two tiers counts', { paidTier: 'free', givenTier: 'pro' }, {}, { refusal: null }],
  ['pro has no workspaces', { paidTier: 'pro' }, { isShared: true }, { refusal: 'TIER_REQUIRED' }],
  ['past due', { isPastDue: true }, {}, { refusal: 'SUBSCRIPTION_PAST_DUE' }],
  ['a workspace cap leaves own agents alone', { isWorkspaceCapped: true }, {}, { canPay: true }],
  ['a workspace cap', { isWorkspaceCapped: true }, { isShared: true }, { canPay: false }],
  ['an account cap', { isCapped: true }, {}, { canPay: false }],
  ['an agent cap', {}, { isCapped: true }, { canPay: false }],
  ['no tokens', { isTokenless: true }, {}, { canPay: false }],
  ['no credits', { isSpent: true }, {}, { canPay: false }],
]

for (const [title, accountFacts, agentFacts, expected] of states)
  test(`state: ${title}`, (t) =>
    t.like(stateOf(owners, { ...account, ...accountFacts }, { ...agent, ...agentFacts }), expected))

type Evidence = Partial<Pick<Sent, 'secret' | 'proofs' | 'hasLabel'>>

const outcomes: [title: string, Partial<State>, Evidence, [from: number, until: number], string[]][] = [
  ['the secret is right', {}, {}, [0, 1], ['accepted']],
  ['the secret is wrong', {}, { secret: 'old' }, [0, 1], ['WEBHOOK_SECRET_INVALID']],
  ['another proof is demanded', { proof: 'github' }, {}, [0, 1], ['WEBHOOK_SECRET_INVALID']],
  ['the former secret is still good', { former }, { secret: 'old' }, [90, 99], ['accepted']],
  [
    'the former secret is about to end',
    { former },
    { secret: 'old' },
    [90, 105],
    ['WEBHOOK_SECRET_INVALID', 'accepted'],
  ],
  ['the former secret has ended', { former }, { secret: 'old' }, [111, 120], ['WEBHOOK_SECRET_INVALID']],
  ['the agent is gone', { receives: false }, { secret: 'old' }, [0, 1], ['AGENT_NOT_FOUND']],
  [
    'the account comes before the payload',
    { refusal: 'TIER_REQUIRED', needsLabel: true },
    {},
    [0, 1],
    ['TIER_REQUIRED'],
  ],
  [
    'the payload comes before the credits',
    { needsLabel: true, canPay: false },
    {},
    [0, 1],
    ['WEBHOOK_PAYLOAD_INVALID'],
  ],
  ['the payload fits', { needsLabel: true }, { hasLabel: true }, [0, 1], ['accepted']],
  ['nobody pays', { canPay: false }, {}, [0, 1], ['NO_CREDITS']],
]

for (const [title, state, evidence, [from, until], expected] of outcomes)
  test(`outcome: ${title}`, (t) =>
    t.deepEqual(outcomesOf({ ...good, ...state }, { ...plain, ...evidence }, { from, until }), expected))

/** The agent cap is set to 0 between 100 and 120. */
const timeline = new Map<string, Stretch[]>([
  [
    'agent',
    [
      { state: good, from: -Infinity, until: 120 },
      { state: { ...good, canPay: false }, from: 100, until: Infinity },
    ],
  ],
])
const sentAt = (from: number, until: number, outcome: string): Sent => ({
  ...plain,
  number: 1,
  agentId: 'agent',
  from,
  until,
  outcome,
  ...(outcome === 'accepted' && { receipt: { runId: 'run', sequence: 1 } }),
})

const judgements: [title: string, Sent, owner: string, isExplained: boolean][] = [
  ['accepted before the change', sentAt(80, 99, 'accepted'), 'user', true],
  ['refused before the change', sentAt(80, 99, 'NO_CREDITS'), 'user', false],
  ['accepted during the change', sentAt(110, 115, 'accepted'), 'user', true],
  ['refused during the change', sentAt(110, 115, 'NO_CREDITS'), 'user', true],
  ['sent before the change was answered, accepted after', sentAt(119, 300, 'accepted'), 'user', true],
  ['answered after the change was sent, refused', sentAt(50, 101, 'NO_CREDITS'), 'user', true],
  ['accepted after the change', sentAt(121, 140, 'accepted'), 'user', false],
  ['refused after the change', sentAt(121, 140, 'NO_CREDITS'), 'user', true],
  ['refused for another reason', sentAt(110, 115, 'RATE_LIMITED'), 'user', false],
  ['accepted for another owner', sentAt(80, 99, 'accepted'), 'workspace', false],
]

for (const [title, sent, owner, isExplained] of judgements)
  test(`judged: ${title}`, (t) =>
    t.is(misjudged([sent], timeline, new Map([['run', owner]])).length, isExplained ? 0 : 1))

const accepted = (number: number, sequence: number, from = 0, until = 100): Sent => ({
  ...sentAt(from, until, 'accepted'),
  number,
  receipt: { runId: `run ${number}`, sequence },
})
const run = (number: number, sequence: number): Recorded => ({
  id: `run ${number}`,
  agentId: 'agent',
  ownerId: 'user',
  sequence,
  key: `delivery-${number}`,
})

const records: [title: string, deliveries: Sent[], runs: Recorded[], problems: number][] = [
  ['each once', [accepted(1, 1), accepted(2, 2)], [run(2, 2), run(1, 1)], 0],
  ['refused ones are not on record', [accepted(1, 1), sentAt(0, 1, 'NO_CREDITS')], [run(1, 1)], 0],
  ['one is lost', [accepted(1, 1), accepted(2, 2)], [run(1, 1)], 1],
  ['one is on record twice', [accepted(1, 1)], [run(1, 1), { ...run(1, 2), id: 'another' }], 2],
  ['one was refused and is on record', [sentAt(0, 1, 'NO_CREDITS')], [run(1, 1)], 1],
  ['one has no key', [], [{ ...run(1, 1), key: null }], 1],
  ['one has another sequence than its receipt', [accepted(1, 2)], [run(1, 1)], 1],
  ['a gap', [accepted(1, 1), accepted(2, 3)], [run(1, 1), run(2, 3)], 1],
  ['a later one has the lower sequence', [accepted(1, 2, 0, 10), accepted(2, 1, 20, 30)], [run(1, 2), run(2, 1)], 1],
]

for (const [title, deliveries, runs, problems] of records)
  test(`record: ${title}`, (t) => t.is(contradictions(deliveries, runs).length, problems))
