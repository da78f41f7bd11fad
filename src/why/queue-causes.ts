import type { Charge } from '../runs/queue/blocked.ts'
import { latest, later } from '../clock.ts'
import { causeOf, moment, ongoing, type Cause } from './cause.ts'
import { doingOf } from './doing.ts'
import type { Facts, HeadRun } from './facts.ts'
import { getCredits, continuesSoon } from './head-causes.ts'

/** What must be paid: the code, what stops without it, the situation, and what to do. */
const payments = {
  tier: {
    code: 'TIER',
    stops: 'No delivery is accepted',
    message: 'your tier no longer includes webhooks',
    action: 'Upgrade the tier with POST /billing/subscription.',
  },
  past_due: {
    code: 'PAST_DUE',
    stops: 'No delivery is accepted',
    message: 'your subscription payment is overdue',
    action: 'Pay it with POST /billing/subscription; GET /billing shows what is due.',
  },
  credits: {
    code: 'CREDITS',
    stops: 'Nothing can be started',
    message: 'your credits are used up',
    action: getCredits,
  },
} as const satisfies Record<Charge, { code: Cause['code']; stops: string; message: string; action: string }>

/** What is ahead of the queued runs, or of the one asked about. */
export function runsAhead(facts: Facts): Cause[] {
  const { head, next, asked } = facts
  const ahead = asked ? asked.ahead : Number(head !== null)
  if (ahead === 0 || facts.queued === 0) return []
  if (head) return [behindHead(facts, head, ahead)]
  if (!next) return []
  const begun = ahead === 1 ? 'which has not begun; it' : 'none of which has begun; the first'
  const message = `${counted(ahead)} ahead of ${waitersOf(facts)}, ${begun} is run ${next.sequence}.`
  const action = `See what blocks it with GET /runs/${next.id}/why, or skip it with POST /runs/${next.id}/skip.`
  const { id: runId, sequence, acceptedAt: since } = next
  return [causeOf({ code: 'RUN_AHEAD', runId, sequence, since, message, action })]
}

function behindHead(facts: Facts, head: HeadRun, ahead: number): Cause {
  const { id: runId, sequence, waitingCause } = head.run
  const { text, since, step, site } = doingOf(head)
  const end = waitingCause ? `Skip it with POST /runs/${runId}/skip` : `End it with POST /runs/${runId}/cancel`
  return causeOf({
    code: 'RUN_AHEAD',
    runId,
    sequence,
    since,
    step,
    site,
    message: `${counted(ahead)} ahead of ${waitersOf(facts)}: run ${sequence} ${text}.`,
    action: `${end}, or wait: the runs of an agent are carried out one at a time, in order.`,
  })
}

const counted = (runs: number): string => (runs === 1 ? '1 run is' : `${runs} runs are`)

const waitersOf = ({ asked, queued }: Facts): string =>
  asked ? `run ${asked.run.sequence}` : queued === 1 ? 'the queued run' : `the ${queued} queued runs`

/** Why the next queued run is not started while none is under way; without queued runs, what would stop one. */
export function causesOfQueue(facts: Facts): Cause[] {
  const { agent, head, next, charges } = facts
  if (head) return []
  if (charges.length > 0) return charges.map((charge) => unpaid(facts, charge))
  return next && !agent.pausedAt ? [wakePending(facts, next)] : []
}

function unpaid({ agent, queue, next, asked, settings }: Facts, charge: Charge): Cause {
  const { code, stops, message, action } = payments[charge]
  if (!next) return causeOf({ code, message: `${stops} for "${agent.name}", because ${message}.`, action })
  const since = queue.blockedCause && queue.blockedCause !== 'paused' ? queue.blockedSince : null
  const { id: runId, sequence, acceptedAt } = asked?.run ?? next
  const until = since && later(latest(acceptedAt, since), settings.queueBlockedSeconds)
  const end = until ? `; it fails at ${moment(until)} unless that changes` : ''
  const sentence = `Run ${sequence} of "${agent.name}" ${ongoing('blocked', since)} because ${message}${end}.`
  return causeOf({ code, runId, sequence, since, until, message: sentence, action })
}

/** The run was accepted and its queue woken, but no claim has started it yet. */
function wakePending({ now, action, settings }: Facts, next: NonNullable<Facts['next']>): Cause {
  const { id: runId, sequence, acceptedAt: since } = next
  const until = action.kind === 'leave' ? action.until : later(now, settings.reconcileSeconds)
  const message = `Run ${sequence} was accepted at ${moment(since)} and has not been started yet; its agent is checked again at about ${moment(until)}.`
  return causeOf({ code: 'WAKE_PENDING', runId, sequence, since, until, message, action: continuesSoon })
}
