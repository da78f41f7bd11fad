import type { Evidence } from './evidence.ts'

const agentId = 'an agent'
const ownerId = 'an owner'
const minute = 60_000

/** Two deliveries in order, each with a call and a step that was charged, a chat, and one of everything else. */
export const good: Evidence = {
  receipts: [1, 2].map((sequence) => ({
    agentId,
    key: `delivery ${sequence}`,
    runId: `run ${sequence}`,
    sequence,
    from: sequence * 100,
    until: sequence * 100 + 50,
  })),
  accepted: [
    { what: 'direct call', id: 'call 3', key: 'a call' },
    { what: 'decision', id: 'an approval', status: 'approved' },
    { what: 'purchase', id: 'a payment', key: 'a purchase' },
  ],
  messages: ['a message'],
  runs: [
    ...[1, 2].map((sequence) => ({
      id: `run ${sequence}`,
      agentId,
      sequence,
      key: `delivery ${sequence}`,
      status: 'completed',
      reason: null,
      startedAt: sequence * 1000,
      endedAt: sequence * 1000 + 900,
    })),
    { ...run('run 3'), agentId: 'a scheduled agent' },
    { ...run('run 4'), agentId: 'a capped agent', status: 'failed', reason: 'NO_CREDITS' },
  ],
  answers: [
    {
      id: 'answer',
      messageId: 'm',
      clientId: 'a message',
      status: 'completed',
      errorCode: null,
      onDisconnect: 'cancel',
      endedAt: 5000,
    },
  ],
  calls: [1, 2, 3].map((number) => ({
    subjectId: number === 3 ? null : `run ${number}`,
    step: 1,
    id: `call ${number}`,
    key: `key ${number}`,
    effect: number === 3 ? 'read' : 'once',
    status: 'succeeded',
    tool: 'act',
    attempts: 1,
    startedAt: number * 1000 + 100,
    endedAt: number * 1000 + 300,
  })),
  steps: ['run 1', 'run 2', 'answer'].map((subjectId) => ({ subjectId, step: 1, credits: 1 })),
  accounts: [{ ownerId, balance: 597 }],
  entries: [
    { ...entry('grant', 100), id: 'grant' },
    { ...entry('purchase', 500), id: 'purchase', paymentId: 'a payment' },
    { ...entry('step', -1), id: 'e1', runId: 'run 1', step: 1 },
    { ...entry('step', -1), id: 'e2', runId: 'run 2', step: 1 },
    { ...entry('chat_step', -1), id: 'e3', answerId: 'answer', step: 1 },
  ],
  approvals: [{ id: 'an approval', status: 'approved' }],
  payments: [
    { ...payment('a payment', 'credits'), credits: 500, requestKey: 'a purchase' },
    payment('a month', 'subscription'),
  ],
  charges: ['a payment', 'a month'].map((id) => ({
    ownerId,
    reference: `charge of ${id}`,
    key: id,
    status: 'paid',
    cents: 500,
  })),
  fires: [{ agentId: 'a scheduled agent', runId: 'run 3', nominalAt: minute, outcome: 'ran', reason: null }],
  schedules: [{ agentId: 'a scheduled agent', from: 1, until: 2 * minute - 1 }],
  cappedAgentId: 'a capped agent',
  holds: [],
  contradictions: [],
  lostGrants: [],
  refreshes: [{ entryId: 'entry', generation: 1, outcome: 'refreshed', startedAt: 3000, endedAt: 3500 }],
  tokenRequests: [
    {
      at: 3200,
      grantType: 'refresh_token',
      status: 200,
      error: null,
      refreshToken: 'a fingerprint',
      consumedBefore: false,
    },
  ],
  arrivals: [1, 2, 3].map((number) => ({ site: 'desk', key: `key ${number}`, tool: 'act', at: number * 1000 + 200 })),
  blows: [],
  logs: [{ name: 'api', text: '{"msg":"listening"}' }],
  secrets: [{ name: 'a password', value: 'a long password' }],
}

function run(id: string) {
  return { id, sequence: 1, key: null, status: 'completed', reason: null, startedAt: minute, endedAt: minute + 1000 }
}

function entry(kind: string, credits: number) {
  return { ownerId, kind, credits, runId: null, answerId: null, step: null, attempt: null, paymentId: null }
}

function payment(id: string, purpose: string) {
  const reference = `charge of ${id}`
  return { id, ownerId, purpose, status: 'paid', credits: null, cents: 500, reference, requestKey: null }
}
