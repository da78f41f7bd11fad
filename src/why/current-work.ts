import { ongoing } from './cause.ts'
import type { HeadRun, OpenCall } from './facts.ts'
import { quotedName } from '../names.ts'

/** What a begun run is doing now. */
export interface CurrentWork {
  kind: 'wait' | 'tools' | 'model' | 'between'
  /** As the end of a sentence: `has been calling … since …`. */
  text: string
  since: Date | null
  step: number
  site: string | null
}

const waits = {
  rate_limit: (site: string) => `waiting for its turn at ${site}`,
  credential: (site: string) => `waiting for ${site} to be reconnected`,
  approval: (site: string) => `waiting for approval of a call to ${site}`,
  job: (site: string) => `waiting for ${site} to finish a tool call that it works on`,
  paused: () => 'waiting for its agent to be resumed',
  credits: () => 'waiting for credits',
  model: (model: string) => `waiting for the AI model ${model}`,
} as const

/** A run waits as a whole, makes tool calls, calls the model, or is between two of these. */
export function currentWorkOf(head: HeadRun): CurrentWork {
  const { run, attempt } = head
  const step = head.calls.length > 0 ? run.steps : run.steps + 1
  if (run.waitingCause) {
    const { waitingSince: since, waitingFor: site } = run
    const parked = head.calls.find(({ siteOrigin }) => siteOrigin === site)
    const what = waits[run.waitingCause](parked ? siteOf(parked) : (site ?? 'a site'))
    return { kind: 'wait', text: ongoing(what, since), since, step, site: run.waitingCause === 'model' ? null : site }
  }
  const calls = callsAtWork(head)
  if (calls[0]) return { kind: 'tools', ...callsText(calls[0], calls.length - 1), step }
  if (!attempt || attempt.failed) return between(head, step)
  const text = ongoing(`calling the model (step ${step}, attempt ${attempt.number})`, attempt.at)
  return { kind: 'model', text, since: attempt.at, step, site: null }
}

function between({ run, attempt }: HeadRun, step: number): CurrentWork {
  const text = attempt ? `is about to call the model again (step ${step})` : `is about to start step ${step}`
  return { kind: 'between', text, since: run.progressedAt, step, site: null }
}

/** Calls in progress or ready; the one in progress longest comes first. */
const callsAtWork = ({ calls }: HeadRun): OpenCall[] =>
  calls
    .filter(({ waitCause }) => waitCause === null)
    .toSorted((one, other) => Number(one.startedAt ?? Infinity) - Number(other.startedAt ?? Infinity))

function callsText(call: OpenCall, others: number) {
  const { name, attempts, startedAt, plannedAt, siteOrigin: site } = call
  const besides = others > 0 ? ` and is making ${others} more tool ${others === 1 ? 'call' : 'calls'}` : ''
  const since = startedAt ?? plannedAt
  const attempt = Math.max(1, attempts)
  const what = `calling ${name} at ${siteOf(call)} (step ${call.step}, attempt ${attempt})`
  return { text: `${ongoing(what, since)}${besides}`, since, site }
}

/** A site's name in sentences. */
export const siteOf = ({ entry, siteOrigin }: Pick<OpenCall, 'entry' | 'siteOrigin'>): string =>
  entry ? `${quotedName(entry.name)} (${siteOrigin})` : (siteOrigin ?? 'a site')
