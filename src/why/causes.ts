import { causeOf, causeOrder, moment, sinceThen, type Cause, type Why, type WhyState } from './cause.ts'
import type { Facts } from './facts.ts'
import { causesOfHead } from './head-causes.ts'
import { causesOfQueue, runsAhead } from './queue-causes.ts'

/**
 * The rule: what is the case with an agent, or with the run that is asked about, follows from the facts alone. Several
 * causes may hold at once; all are told, the most important first.
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
  const action = mayReplay ? `${events}, or run it again with POST /runs/${runId}/replay.` : `${events}.`
  return [causeOf({ code: 'ENDED', runId, sequence, since, message, action })]
}

function paused({ agent, head, next, queued }: Facts): Cause[] {
  const { pausedAt: since } = agent
  if (!since) return []
  const waits = head?.run.waitingCause === 'paused'
  const until = waits ? (head.run.waitingUntil ?? null) : null
  const effect = head
    ? `run ${head.run.sequence} ${waits ? `waits${until ? `, and fails at ${moment(until)} unless it is resumed` : ''}` : 'stops before its next step'}`
    : queued > 0
      ? `${queued === 1 ? 'one run stays' : `${queued} runs stay`} queued`
      : 'nothing of it is started'
  const run = head?.run ?? next
  return [
    causeOf({
      code: 'PAUSED',
      since,
      until,
      runId: run?.id ?? null,
      sequence: run?.sequence ?? null,
      message: `The agent "${agent.name}" is paused${sinceThen(since)}, so ${effect}.`,
      action: `Let it go on with POST /agents/${agent.id}/resume.`,
    }),
  ]
}

/** Who has to be there for anything to be carried out; of no interest where there is nothing to carry out. */
function platform({ agent, temporal, workers }: Facts, state: WhyState): Cause[] {
  if (state === 'idle' && agent.trigger !== 'scheduled') return []
  const causes: Cause[] = []
  if (!temporal.reachable) {
    const { since } = temporal
    const message = `Temporal, which carries out runs, cannot be reached${sinceThen(since)}; what was accepted is kept, and goes on when it is back.`
    const action = 'The operators of the platform have to bring it back; GET /readyz shows whether it is there.'
    causes.push(causeOf({ code: 'TEMPORAL_AWAY', since, message, action }))
  }
  if (!workers.present) {
    const { since } = workers
    const message = `No worker asks for work${since ? `, the last one did at ${moment(since)}` : ''}; what was accepted is kept, and goes on when one is there.`
    const action = 'The operators of the platform have to start one; they see them with GET /admin/workers.'
    causes.push(causeOf({ code: 'NO_WORKER', since, message, action }))
  }
  return causes
}

function idle(facts: Facts): Cause[] {
  const { agent, schedule } = facts
  const causes: Cause[] = []
  if (schedule && !schedule.inStep) {
    const message = `Temporal does not have the present schedule of "${agent.name}" yet, so the next fire may come late.`
    const action = `There is nothing to do: it is told again within a minute; GET /agents/${agent.id}/schedule shows the schedule.`
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

/** Nobody is told to do what would be refused. */
function nothingToDo({ agent, charges }: Facts) {
  const isForDeliveries = agent.trigger === 'webhook' && charges.length === 0
  const delivery = isForDeliveries ? `, or deliver to POST /api/webhooks/agent/${agent.id}` : ''
  const run = `Run it with POST /agents/${agent.id}/runs${delivery}.`
  return {
    message: `"${agent.name}" has no unfinished run.`,
    action: charges.includes('credits') ? 'There is nothing to do for it.' : run,
  }
}
