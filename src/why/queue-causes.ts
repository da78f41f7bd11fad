import { isBlockBounded, type Charge } from '../runs/queue/blocked.ts'
import { latest, later } from '../clock.ts'
import { advise, request, type Advice } from './actions.ts'
import { causeOf, utcTime, nextCheck, ongoing, type Cause } from './cause.ts'
import { raiseCap, usedUp } from './cap-advice.ts'
import { currentWorkOf } from './current-work.ts'
import type { Facts, HeadRun } from './facts.ts'
import { getCredits, continuesSoon } from './head-causes.ts'
import { quotedName } from '../names.ts'

/** Charges: the code, what stops without payment, the situation, and the advice. */
const payments = {
  tier: {
    code: 'TIER',
    stops: 'Deliveries are rejected',
    message: 'your tier no longer includes webhooks',
    action: advise`Upgrade your tier with ${request('subscribe')}.`,
  },
  past_due: {
    code: 'PAST_DUE',
    stops: 'Deliveries are rejected',
    message: 'your subscription payment is overdue',
    action: advise`Pay now with ${request('subscribe')}. If necessary, add another card first. ${request('listPayments')} shows the failed payment and the reason.`,
  },
  credits: {
    code: 'CREDITS',
    stops: 'Runs cannot start',
    message: 'you have no credits left',
    action: getCredits,
  },
} as const satisfies Record<Charge, { code: Cause['code']; stops: string; message: string; action: Advice }>

/** What is ahead of the queued runs, or of the run asked about. */
export function runsAhead(facts: Facts): Cause[] {
  const { head, next, asked } = facts
  const ahead = asked ? asked.ahead : Number(head !== null)
  if (ahead === 0 || facts.queued === 0) return []
  if (head) return [behindHead(facts, head, ahead)]
  if (!next) return []
  const first = ahead === 1 ? 'It is' : 'The first is'
  const message = `${counted(ahead)} ahead of ${waitersOf(facts)}. ${first} run ${next.sequence}, which has not started yet.`
  const action = advise`To see what is blocking that run, use ${request('askWhy', next.id)}. To skip the run, use ${request('skip', next.id)}.`
  const { id: runId, sequence, acceptedAt: since } = next
  return [causeOf({ code: 'RUN_AHEAD', runId, sequence, since, message, action })]
}

function behindHead(facts: Facts, head: HeadRun, ahead: number): Cause {
  const { id: runId, sequence, waitingCause } = head.run
  const { text, since, step, site } = currentWorkOf(head)
  const end = waitingCause
    ? advise`skip that run with ${request('skip', runId)}`
    : advise`end that run with ${request('cancel', runId)}`
  return causeOf({
    code: 'RUN_AHEAD',
    runId,
    sequence,
    since,
    step,
    site,
    message: `${counted(ahead)} ahead of ${waitersOf(facts)}. Run ${sequence} ${text}.`,
    action: advise`An agent's runs execute one at a time, in order. Wait, or ${end}.`,
  })
}

const counted = (runs: number): string => (runs === 1 ? '1 run is' : `${runs} runs are`)

const waitersOf = ({ asked, queued }: Facts): string =>
  asked ? `run ${asked.run.sequence}` : queued === 1 ? 'the queued run' : `the ${queued} queued runs`

/** Why the next queued run does not start while none is in progress. Without queued runs, what would stop one. */
export function causesOfQueue(facts: Facts): Cause[] {
  const { agent, head, next, charges } = facts
  if (head) return []
  if (charges.length > 0) return charges.map((charge) => unpaid(facts, charge))
  return next && !agent.pausedAt ? [wakePending(facts, next)] : []
}

function unpaid(facts: Facts, charge: Charge): Cause {
  const { agent, queue, next, asked, settings } = facts
  const { code } = payments[charge]
  const { stops, message, action } = situationOf(facts, charge)
  if (!next) return causeOf({ code, message: `${stops} for ${quotedName(agent.name)} because ${message}.`, action })
  const since = queue.blockedCause && queue.blockedCause !== 'paused' ? queue.blockedSince : null
  const { id: runId, sequence, acceptedAt } = asked?.run ?? next
  const until = isBlockBounded(charge, facts.cap) ? failsAt(acceptedAt, since, settings) : null
  const end = until ? ` It will fail at ${utcTime(until)} unless this changes.` : ''
  const sentence = `Run ${sequence} of ${quotedName(agent.name)} ${ongoing('blocked', since)} because ${message}.${end}`
  return causeOf({ code, runId, sequence, since, until, message: sentence, action })
}

/** When a queued run fails that a missing payment has blocked since the given time. */
export const failsAt = (
  acceptedAt: Date,
  since: Date | null,
  { queueBlockedSeconds }: Pick<Facts['settings'], 'queueBlockedSeconds'>,
): Date | null => since && later(latest(acceptedAt, since), queueBlockedSeconds)

/**
 * What a charge stops, why, and what to do: the first is a sentence's beginning, the second its end. The cap may be used
 * up instead of the balance.
 */
export const situationOf = (
  { cap, agent }: Pick<Facts, 'cap'> & { agent: Pick<Facts['agent'], 'id' | 'ownerId'> },
  charge: Charge,
): { stops: string; message: string; action: Advice } =>
  charge === 'credits' && cap !== null
    ? { ...payments[charge], message: usedUp(cap), action: raiseCap(cap, agent) }
    : payments[charge]

/** The run was accepted and its queue woken, but no claim has started it yet. */
function wakePending(facts: Facts, next: NonNullable<Facts['next']>): Cause {
  const { id: runId, sequence, acceptedAt: since } = next
  const until = nextCheck(facts, facts.action.kind === 'leave' ? facts.action.until : facts.now)
  const message = `Run ${sequence} was accepted at ${utcTime(since)} and has not started yet. Its agent will be checked again at about ${utcTime(until)}.`
  return causeOf({ code: 'WAKE_PENDING', runId, sequence, since, until, message, action: continuesSoon })
}
