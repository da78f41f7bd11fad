import type { LanguageModelV4Content } from '@ai-sdk/provider'
import type { Hiding } from '../hiding/hiding.ts'
import type { RawAnswer } from './collect.ts'
import type { Transcript, TranscriptStep } from './prompt.ts'

/** What a run has done so far, without the secrets. It is done before anything is fenced: a mark belongs to its text. */
export function hiddenTranscript<Read extends Transcript>(transcript: Read, hiding: Hiding): Read {
  const { systemPrompt, payload, headers, schema, missingSites, outputSchema, leftOut, steps } = transcript
  return {
    ...transcript,
    systemPrompt: hiding.text(systemPrompt),
    payload: payload === undefined ? undefined : hiding.text(payload),
    headers: hiding.value(headers),
    schema: hiding.value(schema),
    missingSites: missingSites?.map((site) => ({ ...site, name: hiding.text(site.name) })),
    outputSchema: hiding.value(outputSchema),
    leftOut: leftOut && { ...leftOut, summary: hiding.value(leftOut.summary) },
    steps: steps.map((step) => hiddenOnce(step, hiding)),
  }
}

/** By step, what was last made of it: a run's steps are shown again and again. */
const made = new WeakMap<TranscriptStep, { hiding: Hiding; step: TranscriptStep }>()

/** A step without the secrets; the same object for the same step and secrets. */
export function hiddenOnce<Step extends TranscriptStep>(step: Step, hiding: Hiding): Step {
  const known = made.get(step)
  if (known?.hiding === hiding) return known.step as Step
  const hidden = hiddenStep(step, hiding)
  made.set(step, { hiding, step: hidden })
  return hidden
}

const hiddenStep = <Step extends TranscriptStep>(step: Step, hiding: Hiding): Step => ({
  ...step,
  text: hiding.text(step.text),
  // A part is sent back as it was or not at all.
  content: step.content && hiding.text(step.content) !== step.content ? null : step.content,
  problem: step.problem && { ...step.problem, detail: hiding.value(step.problem.detail) },
  calls: step.calls.map((call) => ({
    ...call,
    arguments: hiddenJson(call.arguments, hiding),
    outcome: { ...call.outcome, text: hiding.text(call.outcome.text) },
  })),
})

/**
 * A model's answer without the secrets. If there was one, nothing of the answer is kept verbatim: a signature would not
 * fit the text any more. Then the provider gets back text and calls alone.
 */
export function hiddenAnswer(answer: RawAnswer, hiding: Hiding): RawAnswer {
  const recorded = answer.content.filter(isRecorded)
  if (JSON.stringify(hiding.value(recorded)) === JSON.stringify(recorded)) return answer
  return { ...answer, content: recorded.filter(isPlain).map((part) => hiddenPart(part, hiding)) }
}

const isRecorded = ({ type }: LanguageModelV4Content): boolean =>
  type === 'text' || type === 'reasoning' || type === 'custom' || type === 'tool-call'

type PlainPart = Extract<LanguageModelV4Content, { type: 'text' | 'tool-call' }>

const isPlain = (part: LanguageModelV4Content): part is PlainPart => part.type === 'text' || part.type === 'tool-call'

function hiddenPart(part: PlainPart, hiding: Hiding): PlainPart {
  if (part.type === 'text') return { type: 'text', text: hiding.text(part.text) }
  const { toolCallId, toolName, input, providerExecuted = false } = part
  return {
    type: 'tool-call',
    toolCallId: hiding.text(toolCallId),
    toolName: hiding.text(toolName),
    input: hiddenJson(input, hiding),
    providerExecuted,
  }
}

/** Only strings change, as long as that is enough: what is no JSON may hold a secret anywhere. */
const hiddenJson = (text: string, hiding: Hiding): string => hiding.text(hiding.json(text))
