import { advise, request } from './actions.ts'
import { causeOf, causeOrder, utcTime, ongoing, type Cause, type Why, type WhyState } from './cause.ts'
import type { Facts } from './facts.ts'
import { causesOfHead } from './head-causes.ts'
import { pausedBecause, resumption } from './paused.ts'
import { causesOfQueue, runsAhead } from './queue-causes.ts'
import { quotedName } from '../names.ts'

/**
 * The rule: the facts alone decide why an agent, or the run asked about, is in its current state. Lists all causes that
 * hold, most important first.
 */
export function explain(facts: Facts): Why {
  const state = stateOf(facts)
  const causes = (state === 'ended' ? ended(facts) : causesOf(facts, state)).toSorted(
    (one, other) => causeOrder.indexOf(one.code) - causeOrder.indexOf(other.code),
  )
  const [subject = '', ...otherNames] = subjectOf(facts)
  const first = causes[0]?.message ?? ''
  return {
    state,
    summary: `${subject} ${stateWords[state]}. ${withoutSubject(first, [subject, ...otherNames])}`,
    causes,
  }
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

/** Names of the subject in messages, the fullest first. */
function subjectOf({ agent, asked, head }: Facts): string[] {
  const run = asked?.run ?? head?.run
  return run
    ? [`Run ${run.sequence} of ${quotedName(agent.name)}`, `Run ${run.sequence}`]
    : [`The agent ${quotedName(agent.name)}`, quotedName(agent.name)]
}

/** Removes the subject, which a summary names already. */
function withoutSubject(message: string, names: string[]): string {
  const name = names.find((one) => message.startsWith(`${one} `))
  return name === undefined ? message : `It${message.slice(name.length)}`
}

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
  const message = `Run ${sequence} of ${quotedName(agent.name)} ${how}${since ? ` at ${utcTime(since)}` : ''}.${error === null ? '' : ` ${error}`}`
  const events = advise`To see what happened, use ${request('readEvents', runId)}.`
  const isFree = asked.run.trigger === 'webhook' || facts.queue.unfinished === 0
  const mayReplay = agent.deletedAt === null && isFree && facts.charges.length === 0
  const action = mayReplay ? advise`${events} To replay the run, use ${request('replay', runId)}.` : events
  return [causeOf({ code: 'ENDED', runId, sequence, since, message, action })]
}

function paused({ agent, head, next, queued, isSuspended }: Facts): Cause[] {
  const { pausedAt: since } = agent
  if (!since) return []
  const waits = head?.run.waitingCause === 'paused'
  const effect = head
    ? `run ${head.run.sequence} ${waits ? 'is waiting' : 'will stop before its next step'}`
    : queued > 0
      ? `${queued === 1 ? 'one run stays' : `${queued} runs stay`} queued`
      : 'it is not starting any runs'
  const run = head?.run ?? next
  return [
    causeOf({
      code: 'PAUSED',
      since,
      runId: run?.id ?? null,
      sequence: run?.sequence ?? null,
      message: `The agent ${quotedName(agent.name)} ${ongoing('paused', since)}${pausedBecause(agent)}, so ${effect}.`,
      action: resumption(agent, isSuspended),
    }),
  ]
}

/** Parts of the platform that are down; empty if there is nothing to run. */
function platform({ agent, temporal, workers }: Facts, state: WhyState): Cause[] {
  if (state === 'idle' && agent.trigger !== 'scheduled') return []
  const causes: Cause[] = []
  if (!temporal.reachable) {
    const { since } = temporal
    const message = `Temporal, which executes runs, ${ongoing('unreachable', since)}. Accepted runs are stored and will continue when Temporal is reachable again.`
    const action = advise`The platform operators must restore Temporal. ${request('readReadiness')} shows whether Temporal is reachable.`
    causes.push(causeOf({ code: 'TEMPORAL_AWAY', since, message, action }))
  }
  if (!workers.present) {
    const { since } = workers
    const message = `No worker is running.${since ? ` The last one was seen at ${utcTime(since)}.` : ''} Accepted runs are stored and will continue when a worker is running.`
    const action = advise`The platform operators must start a worker. ${request('listWorkers')} lists the workers.`
    causes.push(causeOf({ code: 'NO_WORKER', since, message, action }))
  }
  return causes
}

function idle(facts: Facts): Cause[] {
  const { agent, schedule } = facts
  const causes = silent(facts)
  if (schedule && !schedule.inSync) {
    const message = `Temporal does not have the current schedule of ${quotedName(agent.name)} yet, so the next run may be late.`
    const action = advise`You do not need to do anything. The schedule will be synced within a minute. ${request('readSchedule', agent.id)} shows the schedule.`
    causes.push(causeOf({ code: 'SCHEDULE_NOT_IN_STEP', message, action }))
  }
  if (schedule?.nextFire && !agent.pausedAt) causes.push(nextFire(facts, schedule.nextFire))
  else causes.push(causeOf({ code: 'IDLE', ...nothingToDo(facts) }))
  return causes
}

/** Nothing runs because nothing comes. */
function silent({ agent, silentSince: since }: Facts): Cause[] {
  if (!since) return []
  const message = `${quotedName(agent.name)} has accepted no delivery since ${utcTime(since)}, although it usually gets them more often.`
  const action = advise`Check whether the sender still sends. To see deliveries that came and were refused, use ${request('readRefused', agent.id)}.`
  return [causeOf({ code: 'SILENT', since, message, action })]
}

function nextFire({ agent }: Facts, until: Date): Cause {
  const message = `The next scheduled run of ${quotedName(agent.name)} is due at ${utcTime(until)}.`
  const action = advise`To see the next scheduled runs, use ${request('readSchedule', agent.id)}. To run the agent now, use ${request('start', agent.id)}.`
  return causeOf({ code: 'SCHEDULE', until, message, action })
}

/** Suggests nothing that would be refused. */
function nothingToDo({ agent, charges }: Facts) {
  const isForDeliveries = agent.trigger === 'webhook' && charges.length === 0
  const delivery = isForDeliveries ? advise`, or send it a delivery with ${request('deliver', agent.id)}` : advise``
  const run = advise`Run the agent with ${request('start', agent.id)}${delivery}.`
  return {
    message: `${quotedName(agent.name)} has no unfinished run.`,
    action: charges.includes('credits') ? advise`You do not need to do anything.` : run,
  }
}
