import type { FilledAgent } from './agents.ts'
import type { Add } from './columns.ts'
import { timeOf } from './ids.ts'
import { systemPrompt } from './texts.ts'

/** The start and the end of the filled time, in milliseconds since 1970. */
interface Span {
  since: number
  now: number
}

const day = 86_400_000

/** A filled database decrypts and compares nothing until it is measured, so these values need not be real. */
const sealed = 'none'

/** Writes owners and agents, whose totals and last numbers are known at the end. */
export function writePeople(add: Add, agents: FilledAgent[], balances: Map<string, number>, span: Span): void {
  const owners = new Set(agents.map(({ ownerId }) => ownerId))
  for (const id of owners) writeOwner(add, id, balances.get(id) ?? 0, span)
  for (const agent of agents) {
    writeAgent(add, agent, span)
    writeQueue(add, agent, span)
    if (agent.trigger === 'scheduled') writeSchedule(add, agent, span)
  }
}

function writeOwner(add: Add, id: string, balance: number, { since, now }: Span): void {
  const created = timeOf(since)
  add('users', { id, created_at: created, email: `${id}@example.com`, password_hash: sealed })
  // Triggers are off during the fill, so this row is written explicitly.
  add('owners', { id, created_at: created, kind: 'user' })
  const end = timeOf(now + 300 * day)
  const paid = { tier: 'enterprise', current_period_end: end, granted_period: `${end}/enterprise` }
  const subscribed = { subscription: `sandbox_${id}`, subscription_status: 'active' }
  add('accounts', {
    owner_id: id,
    balance,
    credit_cents: 0,
    clock_seconds: 0,
    created_at: created,
    ...paid,
    ...subscribed,
  })
}

function writeAgent(add: Add, { id, ownerId, role, number, trigger, hasCallbacks }: FilledAgent, span: Span): void {
  const created = timeOf(span.since)
  const schedule = trigger === 'scheduled' ? { cron: '0 * * * *', time_zone: 'UTC' } : {}
  const callback = hasCallbacks ? { callback_url: 'https://example.com/ended', callback_secret: sealed } : {}
  const paused = role === 'paused queue' ? { paused_at: timeOf(span.now) } : {}
  add('agents', {
    id,
    owner_id: ownerId,
    created_at: created,
    updated_at: created,
    allow_action_override: 'f',
    summarizes: 'f',
    trigger,
    name: `${role} ${number}`,
    system_prompt: systemPrompt,
    webhook_secret: sealed,
    webhook_proof: 'secret',
    ...schedule,
    ...callback,
    ...paused,
  })
  // Equals the prompt that the claim of the first run stores.
  const prompt = { since_sequence: 1, allow_action_override: 'f', summarizes: 'f', system_prompt: systemPrompt }
  add('agent_prompts', { agent_id: id, ...prompt })
}

/** Matches the runs, which the reconciler compares. Agents with work are due, but not soon. */
function writeQueue(add: Add, agent: FilledAgent, { now }: Span): void {
  const { id, role, lastSequence, unfinished, runningRunId } = agent
  const isBlocked = role === 'paused queue'
  const at = timeOf(now)
  add('agent_queues', {
    agent_id: id,
    running_run_id: runningRunId,
    last_sequence: lastSequence,
    unfinished,
    progressed_at: at,
    signalled_at: at,
    claimed_epoch: runningRunId === null ? null : 1,
    blocked_cause: isBlocked ? 'paused' : null,
    blocked_since: isBlocked ? at : null,
    awake: unfinished > 0 && !isBlocked ? 't' : 'f',
  })
  if (unfinished > 0) add('due_agents', { agent_id: id, due_at: timeOf(now + day) })
}

function writeSchedule(add: Add, { id }: FilledAgent, { since, now }: Span): void {
  const at = timeOf(now)
  const times = { in_force_since: timeOf(since), recorded_until: at, next_fire_at: timeOf(now + day), checked_at: at }
  add('schedules', { agent_id: id, ...times, generation: 1, synced_generation: 1 })
}
