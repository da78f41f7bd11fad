import { LRUCache } from 'lru-cache'
import { raw } from 'objection'
import { jsonMark } from '../../database/any-text.ts'
import type { Database } from '../../database/database.ts'
import { shortenCall, shortening } from '../../models/prompt-size.ts'
import type { TranscriptCall, TranscriptStep } from '../../models/prompt.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { unreadResult } from '../../tools/unread-result.ts'
import { RunStep } from '../run-step.ts'
import type { Run } from '../run.ts'

/** A recorded step as its model is shown it. */
export type ShownStep = TranscriptStep & { step: number }

/** How much text a worker keeps, in characters. What is made of it takes about twice as much again. */
export const maxKeptCharacters = 16 * 1024 * 1024
/** How long steps are kept that nobody asks for. */
export const keptMs = 5 * 60_000

/**
 * Reads the steps of runs. A recorded step never changes, and a run asks for all of them at each step: a worker keeps
 * what it has read, and reads only what is new. The same step is the same object again, so that whatever is made of
 * it can be kept, too.
 */
export function createShownSteps({ database }: { database: Database }) {
  const kept = new LRUCache<string, ShownStep[]>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (steps) => steps.reduce((total, step) => total + sizeOf(step), 1),
    ttl: keptMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  })

  async function read(run: Run, after: number, resultBytes: number): Promise<ShownStep[]> {
    const [steps, called] = await Promise.all([
      stepsOf(database, run, after),
      callsOf(database, run, after, resultBytes),
    ])
    const calls = Map.groupBy(called, ({ step }) => step)
    return steps.map(({ step, answer, content, outcome, remark }) => ({
      step,
      text: answer,
      content,
      problem: outcome === null || outcome === 'summary' ? undefined : { kind: outcome, detail: remark },
      calls: (calls.get(step) ?? []).map((call) => toTranscriptCall(call, run)),
    }))
  }

  /** The steps up to the run's last one, without those that are left out, and with long results cut. */
  return async (run: Run, resultBytes: number): Promise<ShownStep[]> => {
    const { id, epoch, leftOutThrough, shortenedThrough } = run
    const key = [id, epoch, leftOutThrough, shortenedThrough, resultBytes].join(' ')
    const known = kept.get(key) ?? []
    const last = known.at(-1)?.step ?? leftOutThrough ?? 0
    if (last >= run.steps) return known
    const steps = [...known, ...(await read(run, last, resultBytes))]
    if (steps.length > known.length) kept.set(key, steps)
    return steps
  }
}

const sizeOf = ({ text, content, calls }: ShownStep): number =>
  calls.reduce(
    (total, call) => total + call.arguments.length + call.outcome.text.length,
    text.length + (content?.length ?? 0),
  )

/** Summaries stand in the opening, not among the steps. */
const stepsOf = (database: Database, { id: runId, steps }: Run, after: number) =>
  RunStep.query(database)
    .where({ runId })
    .where('step', '>', after)
    // What was recorded since the run was read may be read in part.
    .where('step', '<=', steps)
    .whereRaw(`outcome is distinct from 'summary'`)
    .select('step', 'answer', 'content', 'outcome', 'remark')
    .orderBy('step')

/** A call with what the model sees of its result; `bytes` is the length of the whole one if that is only its beginning. */
type RecordedCall = ToolCall & { bytes: number | null; isShortened: boolean | null }

const callsOf = async (
  database: Database,
  { id: runId, steps, shortenedThrough }: Run,
  after: number,
  resultBytes: number,
) =>
  (await ToolCall.query(database)
    .where({ runId })
    .where('step', '>', after)
    .where('step', '<=', steps)
    .select('id', 'step', 'position', 'modelCallId', 'name', 'arguments', 'status')
    .select(...shownResult(shortenedThrough ?? 0, resultBytes))
    .orderBy(['step', 'position'])) as RecordedCall[]

/**
 * Models see only the beginning of a long result. Whole ones of up to fifty calls, a mebibyte each, would be read again
 * at every step. What is stored as JSON cannot be cut.
 */
function shownResult(shortenedThrough: number, resultBytes: number) {
  const isText = 'left(result, 1) <> :mark'
  const isShortened = `step <= :shortenedThrough and octet_length(result) > :above and ${isText}`
  const isCut = `octet_length(result) > :most and ${isText}`
  const bindings = {
    shortenedThrough,
    above: shortening.aboveBytes,
    beginning: shortening.toCharacters,
    most: resultBytes + 1,
    mark: jsonMark,
  }
  const shown = `case when ${isShortened} then left(result, :beginning) when ${isCut} then left(result, :most) else result end`
  return [
    raw(`${shown} as result`, bindings),
    raw(`case when ${isCut} then octet_length(result) end as bytes`, bindings),
    raw(`(${isShortened}) as is_shortened`, bindings),
  ]
}

function toTranscriptCall(call: RecordedCall, { shortenedThrough }: Run): TranscriptCall {
  const { status, modelCallId, name, arguments: given } = call
  if (status === 'planned' || status === 'started') throw new Error('the model was asked before a tool call had ended')
  const shown = { id: modelCallId ?? call.id, name, arguments: given, outcome: { status, ...resultOf(call) } }
  return call.step <= (shortenedThrough ?? 0) ? shortenCall(shown) : shown
}

/** A call that succeeded without a result had one that could not be read. */
function resultOf({ status, result, bytes, isShortened }: RecordedCall) {
  if (result === null) return { text: status === 'succeeded' ? unreadResult : '' }
  if (isShortened) return { text: result, shortened: true }
  return { text: result, ...(bytes !== null && { bytes }) }
}
