import { causeOf, causeOrder, moment, ongoing, type Cause, type Why, type WhyState } from './cause.ts'
import type { Facts } from './facts.ts'
import { causesOfHead } from './head-causes.ts'
import { causesOfQueue, runsAhead } from './queue-causes.ts'

/**
 * The rule: the facts alone decide why an agent, or the run asked about, is where it is. Several causes may hold at
 * once; all are listed, the most important first.
 */
export function explain(facts: Facts): Why {
  const state = stateOf(facts)
  const causes = (state === 'ended' ? ended(facts) : causesOf(facts, state)).toSorted(
    (one, other) => causeOrder.indexOf(one.code) - causeOrder.indexOf(other.code),
  )
  return { state, summary: `${subjectOf(facts)} ${stateWords[state]}: ${causes[0]?.message ?? ''}`, causes }
}

function stateOf({ asked, head, queued }: Facts): WhyState {
  if (!asked) return head ? (head.run.waitingCause ? 'waiting' : 'running') : queued > 0 ? 'queued' : 'idle'
  const { status } = asked.run
  return status === 'queued' || status === 'running' || status === 'waiting' ? status : 'ended'
}

const stateWords = {
  running: 'is running',
  waiting: 'is waiting',
  queued: 'is queued',
  idle: 'is idle',
  ended: 'has ended',
} as const satisfies Record<WhyState, string>

const subjectOf = ({ agent, asked, head }: Facts): string =>
  asked
    ? `Run ${asked.run.sequence} of "${agent.name}"`
    : head
      ? `Run ${head.run.sequence} of "${agent.name}"`
      : `The agent "${agent.name}"`

function causesOf(facts: Facts, state: WhyState): Cause[] {
  const { head, asked } = facts
  const behind = asked && state !== 'queued' ? [] : runsAhead(facts)
  const causes = [
    ...behind,
    ...(head ? causesOfHead(facts, head) : []),
    ...causesOfQueue(facts),
    ...paused(facts),
    ...platform(facts, state),
  ]
  return state === 'idle' ? [...causes, ...idle(facts)] : causes
}

function ended(facts: Facts): Cause[] {
  const { agent, asked } = facts
  if (!asked) return []
  const { id: runId, sequence, status, endedAt: since, error } = asked.run
  const how = status === 'completed' || status === 'failed' ? status : `was ${status}`
  const message = `Run ${sequence} of "${agent.name}" ${how}${since ? ` at ${moment(since)}` : ''}${error === null ? '.' : `: ${error}`}`
  const events = `See what happened with GET /runs/${runId}/events`
  const isFree = asked.run.trigger === 'webhook' || facts.queue.unfinished === 0
  const mayReplay = agent.deletedAt === null && isFree && facts.charges.length === 0
  const action = mayReplay ? `${events}, or replay it with POST /runs/${runId}/replay.` : `${events}.`
  return [causeOf({ code: 'ENDED', runId, sequence, since, message, action })]
}

function paused({ agent, head, next, queued }: Facts): Cause[] {
  const { pausedAt: since } = agent
  if (!since) return []
  const waits = head?.run.waitingCause === 'paused'
  const until = waits ? (head.run.waitingUntil ?? null) : null
  const effect = head
    ? `run ${head.run.sequence} ${waits ? `is waiting${until ? `, and fails at ${moment(until)} unless it is resumed` : ''}` : 'stops before its next step'}`
    : queued > 0
      ? `${queued === 1 ? 'one run stays' : `${queued} runs stay`} queued`
      : 'it starts nothing'
  const run = head?.run ?? next
  return [
    causeOf({
      code: 'PAUSED',
      since,
      until,
      runId: run?.id ?? null,
      sequence: run?.sequence ?? null,
      message: `The agent "${agent.name}" ${ongoing('paused', since)}, so ${effect}.`,
      action: `Resume it with POST /agents/${agent.id}/resume.`,
    }),
  ]
}

/** What must be up for runs to be carried out; left out if there is nothing to carry out. */
function platform({ agent, temporal, workers }: Facts, state: WhyState): Cause[] {
  if (state === 'idle' && agent.trigger !== 'scheduled') return []
  const causes: Cause[] = []
  if (!temporal.reachable) {
    const { since } = temporal
    const message = `Temporal, which carries out runs, ${ongoing('unreachable', since)}; accepted runs are kept and continue when it is back.`
    const action = 'The operators of the platform have to restore it; GET /readyz shows whether it is reachable.'
    causes.push(causeOf({ code: 'TEMPORAL_AWAY', since, message, action }))
  }
  if (!workers.present) {
    const { since } = workers
    const message = `No worker polls for work${since ? `; the last one did at ${moment(since)}` : ''}; accepted runs are kept and continue when one is up.`
    const action = 'The operators of the platform have to start one; GET /admin/workers lists them.'
    causes.push(causeOf({ code: 'NO_WORKER', since, message, action }))
  }
  return causes
}

function idle(facts: Facts): Cause[] {
  const { agent, schedule } = facts
  const causes: Cause[] = []
  if (schedule && !schedule.inSync) {
    const message = `Temporal does not have the current schedule of "${agent.name}" yet, so the next fire may be late.`
    const action = `There is nothing to do: it is synced again within a minute; GET /agents/${agent.id}/schedule shows the schedule.`
    causes.push(causeOf({ code: 'SCHEDULE_NOT_IN_STEP', message, action }))
  }
  if (schedule?.nextFire && !agent.pausedAt) causes.push(nextFire(facts, schedule.nextFire))
  else causes.push(causeOf({ code: 'IDLE', ...nothingToDo(facts) }))
  return causes
}

function nextFire({ agent }: Facts, until: Date): Cause {
  const message = `The schedule of "${agent.name}" fires next at ${moment(until)}.`
  const action = `See its next fires with GET /agents/${agent.id}/schedule, or run it now with POST /agents/${agent.id}/runs.`
  return causeOf({ code: 'SCHEDULE', until, message, action })
}

/** Suggests nothing that would be refused. */
function nothingToDo({ agent, charges }: Facts) {
  const isForDeliveries = agent.trigger === 'webhook' && charges.length === 0
  const delivery = isForDeliveries ? `, or deliver to POST /api/webhooks/agent/${agent.id}` : ''
  const run = `Run it with POST /agents/${agent.id}/runs${delivery}.`
  return {
    message: `"${agent.name}" has no unfinished run.`,
    action: charges.includes('credits') ? 'There is nothing to do for it.' : run,
  }
}
