import test from 'ava'
import type { Evidence } from './evidence.ts'
import { judge } from './judge.ts'
import { missedBy, plantedFaults } from './planted.ts'

const agentId = 'an agent'
const ownerId = 'an owner'

/** Two deliveries in order, each with a call and a step that was charged, and a chat. */
const good: Evidence = {
  receipts: [1, 2].map((sequence) => ({
    agentId,
    key: `delivery ${sequence}`,
    runId: `run ${sequence}`,
    sequence,
    from: sequence * 100,
    until: sequence * 100 + 50,
  })),
  messages: ['a message'],
  runs: [1, 2].map((sequence) => ({
    id: `run ${sequence}`,
    agentId,
    sequence,
    key: `delivery ${sequence}`,
    status: 'completed',
    reason: null,
    startedAt: sequence * 1000,
    endedAt: sequence * 1000 + 900,
  })),
  answers: [
    { id: 'answer', messageId: 'm', clientId: 'a message', status: 'completed', errorCode: null, endedAt: 5000 },
  ],
  calls: [1, 2].map((number) => ({
    subjectId: `run ${number}`,
    step: 1,
    id: `call ${number}`,
    key: `run ${number}:1:0`,
    effect: 'once',
    status: 'succeeded',
    tool: 'act',
    startedAt: number * 1000 + 100,
    endedAt: number * 1000 + 300,
  })),
  steps: ['run 1', 'run 2', 'answer'].map((subjectId) => ({ subjectId, step: 1, credits: 1 })),
  accounts: [{ ownerId, balance: 97 }],
  entries: [
    { ...entry('grant', 100), id: 'grant' },
    { ...entry('step', -1), id: 'e1', runId: 'run 1', step: 1 },
    { ...entry('step', -1), id: 'e2', runId: 'run 2', step: 1 },
    { ...entry('chat_step', -1), id: 'e3', answerId: 'answer', step: 1 },
  ],
  holds: [],
  contradictions: [],
  lostGrants: [],
  refreshes: [{ entryId: 'entry', generation: 1, outcome: 'refreshed' }],
  arrivals: [1, 2].map((number) => ({ site: 'desk', key: `run ${number}:1:0`, tool: 'act', at: number * 1000 + 200 })),
  slowRoads: [],
  logs: [{ name: 'api', text: '{"msg":"listening"}' }],
  secrets: [{ name: 'a password', value: 'a long password' }],
}

function entry(kind: string, credits: number) {
  return { ownerId, kind, credits, runId: null, answerId: null, step: null, attempt: null, paymentId: null }
}

test('the judge of a storm finds nothing where nothing is wrong', (t) => {
  t.deepEqual(Object.values(judge(good)).flat(), [])
})

test('the judge of a storm finds every planted fault', (t) => {
  t.true(plantedFaults.length >= 5)
  t.deepEqual(missedBy(good), [])
})

test('a call whose answer was lost may arrive late only if its road was closed', (t) => {
  const [one, two] = good.calls
  const late = { ...good.arrivals[0]!, at: 9000 }
  const evidence = { ...good, calls: [{ ...one!, status: 'unknown' }, two!], arrivals: [good.arrivals[1]!, late] }
  t.is(judge(evidence).reordered.length, 1)
  t.is(judge({ ...evidence, slowRoads: [{ from: 1000, until: 9000 }] }).reordered.length, 0)
})

test('a connection whose refresh was cut off is not the fault of the platform', (t) => {
  const lost = { ...good, lostGrants: [{ entryId: 'entry', generation: 1 }] }
  t.is(judge(lost)['grants lost'].length, 1)
  const refreshes = [{ entryId: 'entry', generation: 1, outcome: 'abandoned' }]
  t.is(judge({ ...lost, refreshes })['grants lost'].length, 0)
})

test('a secret is found, and not repeated', (t) => {
  const [found = ''] = judge({ ...good, logs: [{ name: 'caddy', text: 'x a long password y' }] })['secrets in logs']
  t.true(found.includes('caddy') && !found.includes('a long password'))
})
