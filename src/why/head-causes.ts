import { causeOf, later, moment, sinceThen, type Cause } from './cause.ts'
import { doingOf, siteOf, type Doing } from './doing.ts'
import type { Facts, HeadRun, OpenCall } from './facts.ts'
import { limitedSites } from './limited-sites.ts'
import { modelFailure } from './model-failure.ts'

/** What holds up the run that has begun, or what it is doing. What its owner has paused is said elsewhere. */
export function causesOfHead(facts: Facts, head: HeadRun): Cause[] {
  const dead = deadCredentials(head)
  const limited = limitedSites(facts, head, dead.length > 0)
  const parked = [...dead, ...limited, ...missingCredits(facts, head)]
  const doing = doingOf(head)
  return [
    ...cancelling(facts, head, doing),
    ...parked,
    ...modelFailure(facts, head, doing),
    ...(doing.kind === 'wait' ? waitOver(facts, head, parked) : work(facts, head, doing, parked)),
  ]
}

const about = ({ run }: HeadRun) => ({ runId: run.id, sequence: run.sequence })

function cancelling({ settings }: Facts, head: HeadRun, { step }: Doing): Cause[] {
  const { run } = head
  if (!run.cancelRequestedAt) return []
  const until = later(run.cancelRequestedAt, settings.cancelSeconds + settings.reconcileSeconds)
  const message = `Run ${run.sequence} was asked to end at ${moment(run.cancelRequestedAt)} and is stopping what it does; it is ended by force if it has not done so by about ${moment(until)}.`
  const action = 'There is nothing to do: it ends within ten seconds of the request.'
  return [causeOf({ code: 'CANCELLING', ...about(head), since: run.cancelRequestedAt, until, step, message, action })]
}

/** One cause for each vault entry that calls of the run wait for. */
function deadCredentials(head: HeadRun): Cause[] {
  const dead = head.calls.filter(({ waitCause, entry }) => waitCause === 'credential' && entry?.status !== 'connected')
  const entries = Map.groupBy(dead, ({ entry }) => entry?.id)
  return [...entries.values()].flatMap(([call]) => (call?.entry ? [deadCredential(head, call, call.entry)] : []))
}

function deadCredential(head: HeadRun, call: OpenCall, entry: NonNullable<OpenCall['entry']>): Cause {
  const { run } = head
  const waits = run.waitingCause === 'credential'
  const reason = entry.statusReason === null ? '.' : `: ${entry.statusReason}`
  const message = `Run ${run.sequence} needs ${siteOf(call)} to be connected again${waits ? `, and waits${sinceThen(run.waitingSince)}` : ''}${reason}`
  const how =
    entry.authType === 'oauth2'
      ? `Authorise it again with POST /vault/oauth/start and "entryId": "${entry.id}"`
      : `Give it a new token with PATCH /vault/${entry.id}`
  return causeOf({
    code: 'CREDENTIAL',
    ...about(head),
    since: waits ? run.waitingSince : null,
    until: waits ? run.waitingUntil : null,
    step: call.step,
    site: call.siteOrigin,
    message,
    action: `${how}; the run then goes on with the same call within seconds.`,
  })
}

function missingCredits({ hasCredits }: Facts, head: HeadRun): Cause[] {
  const { run } = head
  if (run.waitingCause !== 'credits' || hasCredits) return []
  const { waitingSince: since, waitingUntil: until } = run
  const end = until ? `, and fails at ${moment(until)} unless there are some by then` : ''
  const message = `Run ${run.sequence} waits${sinceThen(since)}, because your credits are used up${end}.`
  return [causeOf({ code: 'CREDITS', ...about(head), since, until, step: run.steps + 1, message, action: getCredits })]
}

/** How one comes by credits. */
export const getCredits =
  'Subscribe to a higher tier with POST /billing/subscription, or wait for the grant of the next month; GET /billing shows the balance.'

/** What the run waits for has come, but nobody has told it. While its agent is paused, that is what it waits for next. */
function waitOver(facts: Facts, head: HeadRun, parked: Cause[]): Cause[] {
  const { run } = head
  if (parked.length > 0 || facts.agent.pausedAt) return []
  const until = later(facts.now, facts.settings.reconcileSeconds)
  const message = `What run ${run.sequence} has waited for${sinceThen(run.waitingSince)} is there, and the run is about to be told so.`
  return [causeOf({ code: 'WAKE_PENDING', ...about(head), since: run.waitingSince, until, message, action: goesOn })]
}

/** What to do about something that is about to go on. */
export const goesOn =
  'There is nothing to do: it goes on by itself within seconds, while Temporal and a worker are there.'

function work(facts: Facts, head: HeadRun, doing: Doing, parked: Cause[]): Cause[] {
  const { run } = head
  // Then that is what it does.
  if (doing.kind === 'between' && (head.failure || parked.length > 0)) return []
  if (doing.kind === 'between' && facts.action.kind === 'inspect') return [stalled(facts, head, doing)]
  return [
    causeOf({
      code: 'WORKING',
      ...about(head),
      since: doing.since,
      step: doing.step,
      site: doing.site,
      message: `Run ${run.sequence} ${doing.text}.`,
      action: `Follow it with GET /runs/${run.id}/events, or end it with POST /runs/${run.id}/cancel.`,
    }),
  ]
}

/** Nothing is under way as far as the record knows: whoever carried the run out is gone, and others are told. */
function stalled({ now, settings }: Facts, head: HeadRun, { step, since }: Doing): Cause {
  const until = later(now, settings.reconcileSeconds + settings.stallSeconds)
  const message = `Run ${head.run.sequence} has not gone on${sinceThen(since)}, and is about to be taken up again at step ${step}.`
  return causeOf({ code: 'WAKE_PENDING', ...about(head), since, until, step, message, action: goesOn })
}
