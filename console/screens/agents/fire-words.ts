import type { Api } from '../../api/client.ts'

type Fire = Pick<Api['Fire'], 'at' | 'outcome' | 'recordedAt'>

export const fireTones = { ran: 'good', skipped: 'calm', missed: 'bad' } as const satisfies Record<
  Api['FireOutcome'],
  string
>

/** A start that is this much later than its scheduled time is worth a word. */
const lateMs = 60_000

/** How long after its scheduled time a run started, if that is worth a word. */
export function lateness({ at, outcome, recordedAt }: Fire): number | undefined {
  const ms = Date.parse(recordedAt) - Date.parse(at)
  return outcome === 'ran' && ms >= lateMs ? ms : undefined
}
