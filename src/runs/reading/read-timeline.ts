import type { Database } from '../../database/database.ts'
import { idempotencyKeyOf, ToolCall } from '../../tools/tool-call.ts'
import { RunStep } from '../run-step.ts'
import type { PromptInForce } from '../queue/prompt-in-force.ts'
import { inputOf, promptOf, type RunInput } from '../run-input.ts'
import { Run } from '../run.ts'
import { RunEvent } from '../timeline.ts'

/** One event as readers see it: with the contents that it refers to. */
export interface TimelineEvent {
  number: number
  kind: string
  at: Date
  data: Record<string, unknown>
}

/**
 * Reads a run's timeline (docs/specification.md, "Run"). Events refer to payload, prompt, steps and calls instead of
 * repeating them; here they are joined. An event says what was known at its time; the contents of a call appear where
 * it was requested and where it ended. Contents are read after the events, never before: an event is written with what
 * it refers to.
 */
export async function readTimeline(
  database: Database,
  runId: string,
  after: number,
  limit: number,
): Promise<TimelineEvent[]> {
  const events = await RunEvent.query(database)
    .where({ runId })
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
  const inputs = events.some(isOfRun) ? await readInputs(database, runId) : undefined
  const numbers = stepsOf(events)
  const steps = numbers.length > 0 ? await RunStep.query(database).where({ runId }).whereIn('step', numbers) : []
  const calls = await callsOf(database, runId, events)
  return events.map((event) => ({
    number: event.number,
    kind: event.kind,
    at: event.at,
    data: { ...event.data, ...contents(event, inputs, steps, calls) },
  }))
}

/** What a run was given. */
interface RunInputs {
  input: RunInput | undefined
  prompt: PromptInForce | null
}

async function readInputs(database: Database, runId: string): Promise<RunInputs | undefined> {
  const run = await Run.query(database).findById(runId)
  if (!run) return undefined
  const input = await inputOf(database, runId)
  return { input, prompt: await promptOf(database, run, input?.payload ?? null) }
}

/** The calls that the events are about, and those that steps requested, without their contents. */
async function callsOf(database: Database, runId: string, events: RunEvent[]): Promise<ToolCall[]> {
  const about = events.flatMap(({ data }) => (typeof data['callId'] === 'string' ? [data['callId']] : []))
  const steps = stepsOf(events)
  const full = about.length > 0 ? await ToolCall.query(database).where({ runId }).whereIn('id', about) : []
  const asked = ToolCall.query(database).where({ runId }).whereIn('step', steps).whereNotIn('id', about)
  const named = steps.length > 0 ? await asked.select('id', 'step', 'position', 'name') : []
  return [...full, ...named].toSorted((one, other) => one.position - other.position)
}

const stepsOf = (events: RunEvent[]): number[] =>
  events.flatMap(({ kind, data }) => (kind === 'step.finished' ? [Number(data['step'])] : []))

/** Whether the event shows what the run was given. */
const isOfRun = ({ kind }: RunEvent): boolean => kind === 'accepted' || kind === 'started'

function contents(
  event: RunEvent,
  inputs: RunInputs | undefined,
  steps: RunStep[],
  calls: ToolCall[],
): Record<string, unknown> {
  const { kind, data } = event
  if (kind === 'accepted') return payloadContents(inputs?.input)
  if (kind === 'started') return { systemPrompt: inputs?.prompt?.systemPrompt, webhookSchema: inputs?.prompt?.schema }
  if (kind === 'step.finished')
    return stepContents(
      steps.find(({ step }) => step === data['step']),
      calls,
    )
  if (!kind.startsWith('tool.')) return {}
  const call = calls.find(({ id }) => id === data['callId'])
  if (!call) return {}
  return kind === 'tool.finished'
    ? { ...callContents(call), httpStatus: call.httpStatus, result: call.result ?? undefined }
    : callContents(call)
}

/** The payload twice: parsing may lose numbers and repeated members, so its text is there as received. */
function payloadContents(input: RunInput | undefined): Record<string, unknown> {
  if (!input) return { payload: null }
  const { payload: payloadText, headers } = input
  return { payload: JSON.parse(payloadText) as unknown, payloadText, ...(headers && { headers }) }
}

function stepContents(step: RunStep | undefined, calls: ToolCall[]): Record<string, unknown> {
  if (!step) return {}
  const { model, answer, finish, inputTokens, outputTokens, credits, latencyMs } = step
  const asked = calls.filter((call) => call.step === step.step).map(({ id, name }) => ({ callId: id, name }))
  return { model, text: answer, finish, inputTokens, outputTokens, credits, latencyMs, calls: asked }
}

const callContents = (call: ToolCall) => ({
  step: call.step,
  tool: call.tool ?? call.name,
  site: call.siteOrigin,
  effect: call.effect,
  arguments: call.arguments,
  idempotencyKey: idempotencyKeyOf(call),
})
