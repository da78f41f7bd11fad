import { raw } from 'objection'
import { Step } from '../../loop/step.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { RunEvent } from '../timeline.ts'
import type { TimelineContext, TimelineEvent, TimelinePage } from './read-timeline.ts'

/** The most of an answer that an outline has, in characters. */
export const outlinedCharacters = 200

/**
 * Reads a run's timeline without its bodies: no payloads, prompts, headers, arguments, results or outputs, and only the
 * beginning of answers. A thousand events are a few hundred kilobytes, whatever the run read and wrote.
 */
export async function readOutline(
  { database }: Pick<TimelineContext, 'database'>,
  runId: string,
  after: number,
  limit: number,
): Promise<TimelinePage> {
  const found = await RunEvent.query(database)
    .where({ runId })
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit + 1)
  const events = found.slice(0, limit)
  const [steps, calls] = await Promise.all([stepsOf(database, runId, events), callsOf(database, runId, events)])
  const items = events.map(({ number, kind, at, data }): TimelineEvent => {
    const step = kind === 'step.finished' ? steps.get(Number(data['step'])) : undefined
    const call = calls.get(String(data['callId']))
    return { number, kind, at, data: { ...data, ...(step && ofStep(step)), ...(call && ofCall(call, kind)) } }
  })
  return { items, more: found.length > items.length }
}

type OutlinedStep = Omit<Step, 'answer'> & { beginning: string; length: number }

async function stepsOf(database: TimelineContext['database'], runId: string, events: RunEvent[]) {
  const numbers = events.flatMap(({ kind, data }) => (kind === 'step.finished' ? [Number(data['step'])] : []))
  if (numbers.length === 0) return new Map<number, OutlinedStep>()
  const rows = (await Step.query(database)
    .where({ subjectId: runId })
    .whereIn('step', numbers)
    .select('step', 'model', 'finish', 'inputTokens', 'outputTokens', 'cachedTokens', 'credits', 'costNanoUsd')
    .select('latencyMs', 'outcome', raw('left(answer, ?)', outlinedCharacters).as('beginning'))
    .select(raw('length(answer)').as('length'))) as unknown as OutlinedStep[]
  return new Map(rows.map((row) => [row.step, row]))
}

const ofStep = ({ beginning, length, cachedTokens, costNanoUsd, outcome, ...step }: OutlinedStep) => ({
  model: step.model,
  text: beginning,
  isWhole: length <= outlinedCharacters,
  finish: step.finish,
  inputTokens: step.inputTokens,
  outputTokens: step.outputTokens,
  cachedTokens: cachedTokens ?? 0,
  credits: step.credits,
  costUsd: costNanoUsd === null ? null : costNanoUsd / 1e9,
  latencyMs: step.latencyMs,
  ...(outcome !== null && { outcome }),
})

type OutlinedCall = Pick<ToolCall, 'id' | 'step' | 'tool' | 'name' | 'siteOrigin' | 'effect' | 'httpStatus'>

async function callsOf(database: TimelineContext['database'], runId: string, events: RunEvent[]) {
  const ids = events.flatMap(({ data }) => (typeof data['callId'] === 'string' ? [data['callId']] : []))
  if (ids.length === 0) return new Map<string, OutlinedCall>()
  const rows = await ToolCall.query(database)
    .where({ subjectId: runId })
    .whereIn('id', ids)
    .select('id', 'step', 'tool', 'name', 'siteOrigin', 'effect', 'httpStatus')
  return new Map(rows.map((row) => [row.id, row]))
}

/** What the call itself says, which an event about its credential does not need. */
const ofCall = ({ step, tool, name, siteOrigin, effect, httpStatus }: OutlinedCall, kind: string) => ({
  step,
  tool: tool ?? name,
  site: siteOrigin,
  effect,
  ...(kind === 'tool.finished' && { siteStatus: httpStatus }),
})
