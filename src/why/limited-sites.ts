import { advise, request, type Advice } from './actions.ts'
import { causeOf, utcTime, nextCheck, type Cause } from './cause.ts'
import { siteOf } from './current-work.ts'
import type { Facts, HeadRun, OpenCall } from './facts.ts'

/** What the run's calls need from its owner. */
interface Needs {
  connection: boolean
  approval: boolean
}

/** One cause for each site at which the run's calls wait for a slot. */
export function limitedSites(facts: Facts, head: HeadRun, needs: Needs): Cause[] {
  const later = head.calls.filter(
    ({ waitCause, notBefore }) => waitCause === 'rate_limit' && notBefore !== null && notBefore > facts.now,
  )
  const sites = Map.groupBy(
    later.toSorted((one, other) => Number(one.notBefore) - Number(other.notBefore)),
    ({ siteOrigin }) => siteOrigin,
  )
  const others = othersThan(facts, needs)
  return [...sites.values()].flatMap(([call]) => (call ? [limitedSite(facts, head, call, others)] : []))
}

function limitedSite(facts: Facts, head: HeadRun, call: OpenCall, others: Advice[]): Cause {
  const { run, mayWaitUntil } = head
  const turn = call.notBefore as Date
  const fails = mayWaitUntil < turn
  const until = fails ? nextCheck(facts, mayWaitUntil) : turn
  const atLeast = others.length > 0 && !fails ? 'at least ' : ''
  const end = fails ? ' and then fail because it will have reached the maximum waiting time for a run' : ''
  return causeOf({
    code: 'RATE_LIMIT',
    runId: run.id,
    sequence: run.sequence,
    since: run.waitingCause === 'rate_limit' ? run.waitingSince : null,
    until,
    step: call.step,
    site: call.siteOrigin,
    message: `Run ${run.sequence} will wait until ${atLeast}${utcTime(until)}${end}. ${siteOf(call)} ${reasonOf(facts, call)}.`,
    action: actionOf(facts, head, fails, others),
  })
}

function reasonOf({ now, settings }: Facts, { heldUntil, callsPerMinute }: OpenCall): string {
  return heldUntil !== null && heldUntil > now
    ? 'has requested a pause'
    : `has reached its rate limit of ${callsPerMinute ?? settings.callsPerMinute} calls a minute from this platform`
}

/** What the run's next step needs besides a slot at a site. */
function othersThan({ agent, temporal, workers }: Facts, { connection, approval }: Needs): Advice[] {
  const others: Advice[] = []
  if (connection) others.push(advise`a site is reconnected`)
  if (approval) others.push(advise`a call is approved or refused`)
  if (agent.pausedAt) others.push(advise`the agent is resumed`)
  if (!temporal.reachable) others.push(advise`Temporal is reachable`)
  if (!workers.present) others.push(advise`a worker is running`)
  return others
}

function actionOf({ agent }: Facts, { run }: HeadRun, fails: boolean, others: Advice[]): Advice {
  if (run.cancelRequestedAt) return advise`You do not need to do anything. The run is about to end.`
  const along =
    others.length > 0
      ? advise`You do not need to do anything about this, but the run will not reach its next step until ${all(others)}`
      : advise`You do not need to do anything. The run continues automatically`
  // Only a waiting run can be skipped, and a paused agent starts no other run.
  const aim =
    run.waitingCause && !agent.pausedAt ? advise`To let the next run start instead` : advise`To end it instead`
  const end = run.waitingCause ? request('skip', run.id) : request('cancel', run.id)
  return advise`${fails ? advise`The run can no longer succeed` : along}. ${aim}, use ${end}.`
}

const all = (others: Advice[]): Advice => others.reduce((one, other) => advise`${one} and ${other}`)
