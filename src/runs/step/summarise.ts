import type { Models } from '../../models/models.ts'
import { buildSummaryPrompt } from '../../models/summary-prompt.ts'
import type { Run } from '../run.ts'
import type { Asking, Attempt } from './attempt.ts'
import type { Cut, Fitted } from './fit-transcript.ts'
import { bytesFor } from '../../models/prompt-tokens.ts'

/** Asks a run's model for a summary of the steps that it will not see any more. */
export async function summarise(
  models: Models,
  { run, attempt, ...asking }: Asking & { run: Run; attempt: Attempt },
  fitted: Fitted,
  cut: Cut,
) {
  const { leftOutThrough } = cut.changes
  const { window, transcript } = fitted
  const steps = transcript.steps.filter(({ step }) => step <= leftOutThrough)
  const fixed = Buffer.byteLength(transcript.systemPrompt + (transcript.leftOut?.summary ?? ''))
  const room = bytesFor(window, run.bytesPerToken) - fixed
  const prompt = buildSummaryPrompt(transcript, steps, Math.max(room, 0))
  const { model } = attempt
  const result = await models.step({ model, prompt, tools: [], cacheKey: run.id, ...asking })
  // An answer without words leaves the run without a summary; it was billed all the same.
  return { ...result, calls: [], verdict: undefined, output: null, cost: await models.costOf(model, result), cut }
}

/** The same cut if there is no summary: the run goes on without. */
export const withoutSummary = (cut: Cut): Cut => ({
  changes: cut.changes,
  event: { ...cut.event, data: { ...cut.event.data, note: `${cut.event.data.note} ${summaryFailed}` } },
})

const summaryFailed = 'The model failed to summarize them.'
