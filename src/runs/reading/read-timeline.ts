import type { Database } from '../../database/database.ts'
import { JsonText } from '../../json-text.ts'
import type { Payloads } from '../../webhooks/payloads.ts'
import { shownProgress } from '../../tools/job.ts'
import { shownArguments, shownResult } from '../../tools/shown-call.ts'
import { Step } from '../../loop/step.ts'
import { idempotencyKeyOf, ToolCall } from '../../tools/tool-call.ts'
import type { PromptInForce } from '../queue/prompt-in-force.ts'
import { inputOf, promptOf, type RunInput } from '../run-input.ts'
import { countThatFit } from './page-bytes.ts'
import { Run } from '../run.ts'
import { RunEvent } from '../timeline.ts'

/** An event as readers see it, with its contents. */
export interface TimelineEvent {
  number: number
  kind: string
  at: Date
  data: Record<string, unknown>
}

/**
 * Reads a run's timeline (docs/specification.md, "Run"). Events refer to payload, prompt, steps and calls; this joins
 * their contents. An event says what was known at its time. A call's contents appear where it was requested and where
 * it ended. Contents are read after the events, because an event is written together with them.
 *
 * A page ends at the limit or before its contents exceed a mebibyte, but has at least one event. An event may have two
 * mebibytes, and a page is one JSON text in memory.
 */
export async function readTimeline(
  { database, payloads }: TimelineContext,
  runId: string,
  after: number,
  limit: number,
): Promise<TimelinePage> {
  const found = await RunEvent.query(database)
    .where({ runId })
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit + 1)
  const window = found.slice(0, limit)
  const events = window.slice(0, await countThatFit(database, runId, window))
  const inputs = events.some(isOfRun) ? await readInputs(database, runId) : undefined
  const payload = events.some(({ kind }) => kind === 'accepted') ? inputs?.input?.payload : undefined
  const shown = inputs && payload ? await payloads.show(payload, inputs.ownerId) : undefined
  const numbers = stepsOf(events)
  const steps =
    numbers.length > 0 ? await Step.query(database).where({ subjectId: runId }).whereIn('step', numbers) : []
  const calls = await callsOf(database, runId, events)
  const items = events.map((event) => ({
    number: event.number,
    kind: event.kind,
    at: event.at,
    data: { ...event.data, ...contents(event, inputs && { ...inputs, shown }, steps, calls) },
  }))
  return { items, more: found.length > items.length }
}

/** Events, and whether the run has later ones by now. */
export interface TimelinePage {
  items: TimelineEvent[]
  more: boolean
}

export interface TimelineContext {
  database: Database
  payloads: Pick<Payloads, 'show'>
}

/** The input and instructions of a run. */
interface RunInputs {
  ownerId: string
  input: RunInput | undefined
  prompt: PromptInForce | null
}

async function readInputs(database: Database, runId: string): Promise<RunInputs | undefined> {
  const run = await Run.query(database).findById(runId)
  if (!run) return undefined
  const input = await inputOf(database, runId)
  return { ownerId: run.ownerId, input, prompt: await promptOf(database, run, input) }
}

/** Calls of these events, and calls that steps requested, without contents. */
async function callsOf(database: Database, runId: string, events: RunEvent[]): Promise<ToolCall[]> {
  const about = events.flatMap(({ data }) => (typeof data['callId'] === 'string' ? [data['callId']] : []))
  const steps = stepsOf(events)
  const full = about.length > 0 ? await ToolCall.query(database).where({ subjectId: runId }).whereIn('id', about) : []
  const asked = ToolCall.query(database).where({ subjectId: runId }).whereIn('step', steps).whereNotIn('id', about)
  const named = steps.length > 0 ? await asked.select('id', 'step', 'position', 'name') : []
  return [...full, ...named].toSorted((one, other) => one.position - other.position)
}

const stepsOf = (events: RunEvent[]): number[] =>
  events.flatMap(({ kind, data }) => (kind === 'step.finished' ? [Number(data['step'])] : []))

/** Whether the event shows the run's input and instructions. */
const isOfRun = ({ kind }: RunEvent): boolean => kind === 'accepted' || kind === 'started'

function contents(
  event: RunEvent,
  inputs: (RunInputs & { shown: JsonText | undefined }) | undefined,
  steps: Step[],
  calls: ToolCall[],
): Record<string, unknown> {
  const { kind, data } = event
  if (kind === 'accepted') return payloadContents(inputs?.input, inputs?.shown)
  if (kind === 'started') return { systemPrompt: inputs?.prompt?.systemPrompt, webhookSchema: inputs?.prompt?.schema }
  if (kind === 'step.finished')
    return stepContents(
      steps.find(({ step }) => step === data['step']),
      calls,
    )
  if (!kind.startsWith('tool.') && kind !== 'approval.requested') return {}
  const call = calls.find(({ id }) => id === data['callId'])
  if (!call) return {}
  if (kind === 'tool.started') return { ...callContents(call), progress: shownProgress(call) ?? undefined }
  return kind === 'tool.finished'
    ? { ...callContents(call), siteStatus: call.httpStatus, result: shownResult(call) ?? undefined }
    : callContents(call)
}

/** A payload that takes too long to read is shown as text. */
const payloadContents = (input: RunInput | undefined, shown: JsonText | undefined): Record<string, unknown> =>
  input ? { payload: shown ?? input.payload, ...(input.headers && { headers: input.headers }) } : { payload: null }

function stepContents(step: Step | undefined, calls: ToolCall[]): Record<string, unknown> {
  if (!step) return {}
  const { model, answer, finish, inputTokens, outputTokens, credits, latencyMs, costNanoUsd, outcome, remark } = step
  const costUsd = costNanoUsd === null ? null : costNanoUsd / 1e9
  const value = step.output === null ? {} : { output: new JsonText(step.output) }
  const unusual = { ...(outcome !== null && { outcome }), ...(remark !== null && { remark }), ...value }
  const asked = calls.filter((call) => call.step === step.step).map(({ id, name }) => ({ callId: id, name }))
  const tokens = { inputTokens, outputTokens, cachedTokens: step.cachedTokens ?? 0 }
  return { model, text: answer, finish, ...tokens, credits, costUsd, latencyMs, calls: asked, ...unusual }
}

const callContents = (call: ToolCall) => ({
  step: call.step,
  tool: call.tool ?? call.name,
  site: call.siteOrigin,
  effect: call.effect,
  arguments: shownArguments(call),
  idempotencyKey: idempotencyKeyOf(call),
})
