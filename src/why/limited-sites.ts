import { causeOf, moment, type Cause } from './cause.ts'
import { siteOf } from './doing.ts'
import type { Facts, HeadRun, OpenCall } from './facts.ts'

/** One cause for each site at which it is not the turn of the run's calls, and whether others wait for a connection. */
export function limitedSites(facts: Facts, head: HeadRun, needsConnection: boolean): Cause[] {
  const later = head.calls.filter(
    ({ waitCause, notBefore }) => waitCause === 'rate_limit' && notBefore !== null && notBefore > facts.now,
  )
  const sites = Map.groupBy(
    later.toSorted((one, other) => Number(one.notBefore) - Number(other.notBefore)),
    ({ siteOrigin }) => siteOrigin,
  )
  const others = othersThan(facts, needsConnection)
  return [...sites.values()].flatMap(([call]) => (call ? [limitedSite(facts, head, call, others)] : []))
}

function limitedSite(facts: Facts, head: HeadRun, call: OpenCall, others: string[]): Cause {
  const { run, mayWaitUntil } = head
  const turn = call.notBefore as Date
  const fails = mayWaitUntil < turn
  const until = fails ? mayWaitUntil : turn
  const atLeast = others.length > 0 ? ' at least' : ''
  const end = fails ? ', and fails then, having waited as long as a run may' : atLeast
  return causeOf({
    code: 'RATE_LIMIT',
    runId: run.id,
    sequence: run.sequence,
    since: run.waitingCause === 'rate_limit' ? run.waitingSince : null,
    until,
    step: call.step,
    site: call.siteOrigin,
    message: `Run ${run.sequence} waits until ${moment(until)}${end}, because ${siteOf(call)} ${reasonOf(facts, call)}.`,
    action: actionOf(facts, head, fails, others),
  })
}

function reasonOf({ now, settings }: Facts, { heldUntil }: OpenCall): string {
  return heldUntil !== null && heldUntil > now
    ? 'has asked for no calls for a while (status 429)'
    : `takes ${settings.callsPerMinute} calls a minute of this platform, and has been called that often`
}

/** What has to come about before the run's next step, besides its turn at a site. */
function othersThan({ agent, temporal, workers }: Facts, needsConnection: boolean): string[] {
  const others: string[] = []
  if (needsConnection) others.push('a site is connected again')
  if (agent.pausedAt) others.push('the agent is resumed')
  if (!temporal.reachable || !workers.present) others.push('the platform is whole again')
  return others
}

function actionOf({ agent }: Facts, { run }: HeadRun, fails: boolean, others: string[]): string {
  if (run.cancelRequestedAt) return 'Nothing has to be done: the run is about to end.'
  const along =
    others.length > 0
      ? `Nothing has to be done about this, but the run does not come to its next step before ${others.join(' and ')}`
      : 'Nothing has to be done: the run goes on by itself'
  // Only a run that waits can be skipped, and a paused agent starts no other.
  const next = agent.pausedAt ? 'gives it up' : 'lets the next run go first'
  const end = run.waitingCause ? `/skip ${next}` : '/cancel ends it'
  return `${fails ? 'Nothing can be done for it' : along}; POST /runs/${run.id}${end}.`
}
