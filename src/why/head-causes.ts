import { later } from '../clock.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import { advise, request, type Advice } from './actions.ts'
import { causeOf, utcTime, nextCheck, ongoing, type Cause } from './cause.ts'
import { raiseCap, usedUp } from './cap-advice.ts'
import { currentWorkOf, siteOf, type CurrentWork } from './current-work.ts'
import { heldCredits } from '../runs/held-credits.ts'
import type { Facts, HeadRun, OpenCall } from './facts.ts'
import { limitedSites } from './limited-sites.ts'
import { unapprovedCalls } from './unapproved-calls.ts'
import { workingSites } from './working-sites.ts'
import { modelOutage } from './model-outage.ts'
import { modelFailure, waitsForPlace } from './model-failure.ts'

/** What holds up the begun run, or what it is doing. A pause is explained elsewhere. */
export function causesOfHead(facts: Facts, head: HeadRun): Cause[] {
  const dead = deadCredentials(head)
  const unapproved = unapprovedCalls(head)
  const limited = limitedSites(facts, head, { connection: dead.length > 0, approval: unapproved.length > 0 })
  const working = workingSites(head)
  const parked = [
    ...dead,
    ...unapproved,
    ...working,
    ...limited,
    ...missingCredits(facts, head),
    ...modelOutage(facts, head),
  ]
  const doing = currentWorkOf(head)
  return [
    ...cancelling(facts, head, doing),
    ...parked,
    ...modelFailure(facts, head, doing),
    ...(doing.kind === 'wait' ? waitOver(facts, head, parked) : work(facts, head, doing, parked)),
  ]
}

const about = ({ run }: HeadRun) => ({ runId: run.id, sequence: run.sequence })

function cancelling(facts: Facts, head: HeadRun, { step }: CurrentWork): Cause[] {
  const { run } = head
  const { settings } = facts
  if (!run.cancelRequestedAt) return []
  const until = nextCheck(facts, later(run.cancelRequestedAt, settings.cancelSeconds + settings.reconcileSeconds))
  const message = `Run ${run.sequence} has been stopping since its cancellation was requested at ${utcTime(run.cancelRequestedAt)}. It will be force-cancelled if it has not ended by about ${utcTime(until)}.`
  const action = advise`You do not need to do anything. A run usually ends within ten seconds of the request.`
  return [causeOf({ code: 'CANCELLING', ...about(head), since: run.cancelRequestedAt, until, step, message, action })]
}

/** One cause for each vault entry that the run's calls wait for. */
function deadCredentials(head: HeadRun): Cause[] {
  const dead = head.calls.filter(({ waitCause, entry }) => waitCause === 'credential' && entry?.status !== 'connected')
  const entries = Map.groupBy(dead, ({ entry }) => entry?.id)
  return [...entries.values()].flatMap(([call]) => (call?.entry ? [deadCredential(head, call, call.entry)] : []))
}

function deadCredential(head: HeadRun, call: OpenCall, entry: NonNullable<OpenCall['entry']>): Cause {
  const { run } = head
  const waits = run.waitingCause === 'credential'
  const reason = entry.statusReason === null ? '' : ` ${entry.statusReason}`
  const message = `Run ${run.sequence} needs ${siteOf(call)} to be reconnected${waits ? ` and ${ongoing('waiting', run.waitingSince)}` : ''}.${reason}`
  return causeOf({
    code: 'CREDENTIAL',
    ...about(head),
    since: waits ? run.waitingSince : null,
    until: waits ? run.waitingUntil : null,
    step: call.step,
    site: call.siteOrigin,
    message,
    action: advise`${reconnection(entry)}. The run will then continue with the same call within seconds.`,
  })
}

/** How to reconnect a site, as a sentence without its end. */
export const reconnection = (entry: Pick<VaultEntry, 'id' | 'authType'>): Advice =>
  entry.authType === 'oauth2'
    ? advise`Authorize the site again with ${request('authorize')} and "entryId": "${entry}"`
    : advise`To replace the site's token, use ${request('replaceToken', entry.id)}`

function missingCredits({ hasCredits, cap, agent }: Facts, head: HeadRun): Cause[] {
  const { run } = head
  if (run.waitingCause !== 'credits' || hasCredits) return []
  const { waitingSince: since, waitingUntil: until } = run
  const end = until ? ` It will fail at ${utcTime(until)} unless credits are available by then.` : ''
  const message = `Run ${run.sequence} ${ongoing('waiting', since)} because ${usedUp(cap)}.${end}`
  const action = cap === null ? getCredits : raiseCap(cap, agent)
  return [causeOf({ code: 'CREDITS', ...about(head), since, until, step: run.steps + 1, message, action })]
}

/** How to get credits. */
export const getCredits = advise`Subscribe to a higher tier with ${request('subscribe')}, or wait for next month's credits. ${request('readBilling')} shows the balance.`

/** The wait is over, but the run has not resumed yet. While its agent is paused, it waits for that next. */
function waitOver(facts: Facts, head: HeadRun, parked: Cause[]): Cause[] {
  const { run } = head
  if (parked.length > 0 || facts.agent.pausedAt) return []
  const until = nextCheck(facts)
  const message = `Run ${run.sequence} ${ongoing('waiting', run.waitingSince)}. The wait is over, and the run is about to resume.`
  return [
    causeOf({ code: 'WAKE_PENDING', ...about(head), since: run.waitingSince, until, message, action: continuesSoon }),
  ]
}

/** What to do about something that is about to continue. */
export const continuesSoon = advise`You do not need to do anything. The run continues automatically within seconds if Temporal and a worker are available.`

function work(facts: Facts, head: HeadRun, doing: CurrentWork, parked: Cause[]): Cause[] {
  const { run } = head
  // The causes of the parked calls say what it does.
  if (doing.kind === 'between' && parked.length > 0) return []
  const place = noPlace(head, doing)
  if (place) return [place]
  if (doing.kind === 'between' && head.failure) return []
  if (doing.kind === 'between' && facts.action.kind === 'inspect') return [stalled(facts, head, doing)]
  return [
    causeOf({
      code: 'WORKING',
      ...about(head),
      since: doing.since,
      step: doing.step,
      site: doing.site,
      message: `Run ${run.sequence} ${doing.text}.`,
      action: advise`Follow the run with ${request('readEvents', run.id)}, or end it with ${request('cancel', run.id)}.`,
    }),
  ]
}

/** The run is ready to continue, but has found no place since its last progress. */
function noPlace(head: HeadRun, { step, site }: CurrentWork): Cause | undefined {
  const { noPlaceSince: since, noPlaceAt: provider, sequence } = head.run
  if (!waitsForPlace(head)) return undefined
  if (provider === heldCredits) return creditsHeld(head, step)
  if (provider !== null) return providerBusy(head, step, provider)
  const message = `Run ${sequence} ${ongoing('waiting for a worker', since)} because the run's owner is at the worker's concurrency limit.`
  const action = advise`You do not need to do anything. The run continues automatically when other runs free up capacity. To shorten the wait, start fewer runs at a time.`
  return causeOf({ code: 'NO_PLACE', ...about(head), since, step, site, message, action })
}

/** Credits remain, but steps in progress hold all of them. */
function creditsHeld(head: HeadRun, step: number): Cause {
  const { noPlaceSince: since, sequence } = head.run
  const message = `Run ${sequence} ${ongoing('waiting for credits', since)} because other steps have reserved the remaining credits.`
  const action = advise`You do not need to do anything. The run continues automatically if one of the other steps uses less than it reserved. Otherwise, the run will wait until credits are available. ${getCredits}`
  return causeOf({ code: 'CREDITS_HELD', ...about(head), since, step, message, action })
}

/** Operators limit a worker's concurrent requests to a provider. */
function providerBusy(head: HeadRun, step: number, provider: string): Cause {
  const { noPlaceSince: since, sequence } = head.run
  const message = `Run ${sequence} ${ongoing('waiting', since)} because the AI provider ${provider} is at the concurrency limit set by the platform.`
  const action = advise`You do not need to do anything. Owners take turns, and the run continues automatically. The platform operators can raise the limit.`
  return causeOf({ code: 'PROVIDER_BUSY', ...about(head), since, step, message, action })
}

/** The record shows nothing in progress: the execution is gone, and another one takes over. */
function stalled({ now, settings }: Facts, head: HeadRun, { step, since }: CurrentWork): Cause {
  const until = later(now, settings.reconcileSeconds + settings.stallSeconds)
  const message = `Run ${head.run.sequence} has made no progress${since ? ` since ${utcTime(since)}` : ''} and is about to resume at step ${step}.`
  return causeOf({ code: 'WAKE_PENDING', ...about(head), since, until, step, message, action: continuesSoon })
}
