import type { Api } from '../../../api/client.ts'
import { diff, type Pair } from '../../../parts/diff.ts'
import { sorted } from '../../../parts/lines.ts'

/** A tool call of a run. */
export interface Call {
  callId: string
  tool: string
  arguments: unknown
  /** `open` while it has not ended. */
  outcome: Api['ToolCallOutcome'] | 'open'
  siteStatus: number | null
}

/** A call of both runs, or of one. */
export interface CallPair extends Pair<Call> {
  hasOtherArguments: boolean
  hasOtherOutcome: boolean
}

/** The tool calls in the events of a run, in the order in which they began. */
export function callsIn(events: readonly Api['RunEvent'][]): Call[] {
  const calls = new Map<string, Call>()
  for (const { kind, data } of events) {
    if (kind === 'tool.started' && !calls.has(data.callId))
      calls.set(data.callId, { ...ofCall(data), outcome: 'open', siteStatus: null })
    if (kind === 'tool.finished')
      calls.set(data.callId, { ...ofCall(data), outcome: data.status, siteStatus: data.siteStatus })
  }
  return [...calls.values()]
}

const ofCall = ({ callId, tool, arguments: given }: Pick<Call, 'callId' | 'tool' | 'arguments'>) => ({
  callId,
  tool,
  arguments: given,
})

/** The calls of two runs beside each other: calls of the same tool in the same order are a pair. */
export const pairsOfCalls = (one: readonly Call[], other: readonly Call[]): CallPair[] =>
  diff(one, other, (left, right) => left.tool === right.tool).map((pair) => ({ ...pair, ...differencesOf(pair) }))

function differencesOf({ one, other }: Pair<Call>) {
  if (!one || !other) return { hasOtherArguments: false, hasOtherOutcome: false }
  return {
    hasOtherArguments: textOf(one.arguments) !== textOf(other.arguments),
    hasOtherOutcome: one.outcome !== other.outcome || one.siteStatus !== other.siteStatus,
  }
}

const textOf = (value: unknown): string => JSON.stringify(sorted(value))
