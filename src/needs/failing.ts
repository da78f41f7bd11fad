import { quotedName } from '../names.ts'
import { endReasons, type EndReason } from '../runs/states.ts'
import { advise, request } from '../why/actions.ts'
import { needOf, type Need } from './need.ts'

/** How many of an agent's latest runs are judged. Runs that were cancelled or skipped do not count. */
export const judgedRuns = 10

/** So many failures in a row are a pattern, and so many successes in a row show that it is over. */
const inARow = 3

/** An ended run: completed or failed. */
export interface Ending {
  runId: string
  status: 'completed' | 'failed'
  reason: EndReason | null
  endedAt: Date
}

/** A pattern of failures. */
export interface Failing {
  /** The number of failed runs, and the number of runs judged. */
  failed: number
  of: number
  /** When the first of them ended. */
  since: Date
  /** The latest failed run. */
  runId: string
  /** The most frequent reason; of equally frequent ones, the latest. */
  reason: EndReason | null
}

/**
 * Whether an agent keeps failing, by its latest endings, newest first and at most ten: the last three or more all
 * failed, or at least half of ten did and the last three did not all complete. Null if it does not.
 */
export function failingOf(endings: readonly Ending[]): Failing | null {
  const failed = endings.filter(({ status }) => status === 'failed')
  const firstOthers = endings.findIndex(({ status }) => status !== 'failed')
  const streak = firstOthers === -1 ? endings.length : firstOthers
  if (streak >= inARow) return patternOf(endings.slice(0, streak), streak)
  const isRecovered = endings.slice(0, inARow).every(({ status }) => status === 'completed')
  const isHalf = endings.length >= judgedRuns && failed.length * 2 >= endings.length
  return isHalf && !isRecovered ? patternOf(failed, endings.length) : null
}

function patternOf(failed: readonly Ending[], of: number): Failing | null {
  const [latest, first] = [failed[0], failed.at(-1)]
  if (!latest || !first) return null
  return { failed: failed.length, of, since: first.endedAt, runId: latest.runId, reason: mostFrequent(failed) }
}

/** A stable sort: equally frequent groups stay in the order of their latest run. */
function mostFrequent(failed: readonly Ending[]): EndReason | null {
  const groups = [...Map.groupBy(failed, ({ reason }) => reason)]
  const [most] = groups.toSorted(([, one], [, other]) => other.length - one.length)
  return most?.[0] ?? null
}

interface FailingAgent {
  id: string
  name: string
  trigger: string
}

/** The item of an agent that keeps failing; none if it does not. */
export function failingNeeds({ id, name, trigger }: FailingAgent, endings: readonly Ending[]): Need[] {
  const failing = failingOf(endings)
  if (!failing) return []
  const { failed, of, since, runId, reason } = failing
  const which = failed === of ? `The last ${of} runs` : `${failed} of the last ${of} runs`
  const why = reason === null ? '' : ` The most frequent reason: ${endReasons[reason]}`
  const look = advise`To see what happened, use ${request('readEvents', runId)}.`
  return [
    needOf({
      kind: 'failing',
      since,
      message: `${which} of ${quotedName(name)} failed.${why}`,
      action:
        trigger === 'webhook'
          ? advise`${look} After you fix the cause, replay the failed deliveries with ${request('replayFailed', id)}.`
          : look,
      agentId: id,
      agentName: name,
      runId,
      count: failed,
    }),
  ]
}
