import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { buildSummaryPrompt } from '../../models/summary-prompt.ts'
import type { Run } from '../run.ts'
import type { Cut, Fitted } from './fit-transcript.ts'
import { bytesFor } from '../../models/prompt-tokens.ts'

/** Asks for a summary of the steps that a run's model will not see any more. */
export function summaryPrompt(run: Run, { window, transcript }: Fitted, { changes }: Cut): LanguageModelV4Prompt {
  const steps = transcript.steps.filter(({ step }) => step <= changes.leftOutThrough)
  const fixed = Buffer.byteLength(transcript.systemPrompt + (transcript.leftOut?.summary ?? ''))
  const room = bytesFor(window, run.bytesPerToken) - fixed
  return buildSummaryPrompt(transcript, steps, Math.max(room, 0))
}

/** The same cut if there is no summary: the run goes on without. */
export const withoutSummary = (cut: Cut): Cut => ({
  changes: cut.changes,
  event: { ...cut.event, data: { ...cut.event.data, note: `${cut.event.data.note} ${summaryFailed}` } },
})

const summaryFailed = 'The model failed to summarize them.'
