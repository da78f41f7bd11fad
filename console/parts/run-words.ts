import type { Api } from '../api/client.ts'

type Run = Api['RunSummary']

const origins: Record<Api['Trigger'], string> = { manual: 'Manual', scheduled: 'Schedule', webhook: 'Webhook' }

export const originInWords = (trigger: Api['Trigger']): string => origins[trigger]

/** What started a run, in a word or two. */
export const startedBy = ({ trigger, replayOf }: Pick<Run, 'trigger' | 'replayOf'>): string =>
  replayOf === null ? origins[trigger] : `${origins[trigger]}, replay`

const waits: Record<Api['WaitCause'], (what: string | null) => string> = {
  rate_limit: (site) => `Waits for its turn at ${site ?? 'the site'}`,
  credential: (site) => `Waits until ${site ?? 'the site'} is connected again`,
  approval: () => 'Waits for an approval',
  job: (site) => `Waits for ${site ?? 'the site'}, which works on a tool call`,
  paused: () => 'Waits until its agent is resumed',
  credits: () => 'Waits for credits',
  model: (model) => `Waits for the model ${model ?? ''}`.trimEnd(),
}

/** Why a run is not further, or why it did not complete. Undefined if there is nothing to say. */
export function reasonOf(
  run: Pick<Run, 'status' | 'error' | 'waitingCause' | 'waitingFor' | 'cancelRequestedAt' | 'endedAt'>,
) {
  if (run.error !== null) return run.error
  if (run.endedAt !== null) return undefined
  if (run.cancelRequestedAt !== null) return 'Is being cancelled'
  if (run.waitingCause !== null) return waits[run.waitingCause](hostOf(run.waitingFor))
  return undefined
}

/** A site by its host, and a model by its name. */
const hostOf = (what: string | null): string | null => what && (URL.parse(what)?.host || what)

/** How long a run has worked, without its time in the queue. Undefined if it never started. */
export function workedMs({ startedAt, endedAt }: Pick<Run, 'startedAt' | 'endedAt'>, now: number): number | undefined {
  if (startedAt === null) return undefined
  // The server's clock may be ahead of the browser's.
  return Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt))
}
