import type { LanguageModelV4Content, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import type { Hiding } from '../hiding/hiding.ts'
import type { RawAnswer } from './collect-answer.ts'
import type { TranscriptStep } from './prompt.ts'
import type { KeptPart } from './kept-parts.ts'

/** The latest masked form of each step, because a run's steps are shown repeatedly. */
const made = new WeakMap<TranscriptStep, { hiding: Hiding; step: TranscriptStep }>()

/** Masks a step. The same step and secrets return the same object. */
export function hiddenStep<Step extends TranscriptStep>(step: Step, hiding: Hiding): Step {
  const known = made.get(step)
  if (known?.hiding === hiding) return known.step as Step
  const hidden = maskStep(step, hiding)
  made.set(step, { hiding, step: hidden })
  return hidden
}

const maskStep = <Step extends TranscriptStep>(step: Step, hiding: Hiding): Step => ({
  ...step,
  text: hiding.text(step.text),
  // A part is returned unchanged or not at all.
  content: step.content && isKeptWithSecret(step.content, hiding) ? null : step.content,
  problem: step.problem && { ...step.problem, detail: hiding.value(step.problem.detail) },
  calls: step.calls.map((call) => ({
    ...call,
    arguments: hiddenJson(call.arguments, hiding),
    outcome: { ...call.outcome, text: hiding.text(call.outcome.text) },
  })),
})

function isKeptWithSecret(content: string, hiding: Hiding): boolean {
  const { parts } = JSON.parse(content) as { parts: KeptPart[] }
  return hiding.text(content) !== content || isAcross(parts, hiding)
}

/**
 * Masks a model's answer. If it contained a secret, nothing of it is kept verbatim, because a signature would no longer
 * match. The provider then gets back one text, and the calls.
 */
export function hiddenAnswer(answer: RawAnswer, hiding: Hiding): RawAnswer {
  const content = hiddenContent(answer.content, hiding)
  return content ? { ...answer, content } : answer
}

/** Masks the parts of an answer; null if they contain no secret. */
export function hiddenContent(content: RawAnswer['content'], hiding: Hiding): RawAnswer['content'] | null {
  const recorded = content.filter(isRecorded)
  const isClean = JSON.stringify(hiding.value(recorded)) === JSON.stringify(recorded)
  if (isClean && !isAcross(recorded, hiding)) return null
  const text = hiding.text(joined(recorded, ['text']))
  const calls = recorded.filter((part) => part.type === 'tool-call').map((call) => hiddenCall(call, hiding))
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls]
}

const isRecorded = (part: LanguageModelV4Content): part is RecordedPart =>
  part.type === 'text' || part.type === 'reasoning' || part.type === 'custom' || part.type === 'tool-call'

type RecordedPart = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' | 'custom' | 'tool-call' }>

/** A reader may join all texts, all reasoning, or both in their order. */
const isAcross = (parts: readonly Part[], hiding: Hiding): boolean =>
  [['text'], ['reasoning'], ['text', 'reasoning']].some((types) => {
    const text = joined(parts, types)
    return hiding.text(text) !== text
  })

type Part = { type: string; text?: string }

const joined = (parts: readonly Part[], types: readonly string[]): string =>
  parts.map(({ type, text = '' }) => (types.includes(type) ? text : '')).join('')

function hiddenCall(
  { toolCallId, toolName, input, providerExecuted = false }: LanguageModelV4ToolCall,
  hiding: Hiding,
): LanguageModelV4ToolCall {
  return {
    type: 'tool-call',
    toolCallId: hiding.text(toolCallId),
    toolName: hiding.text(toolName),
    input: hiddenJson(input, hiding),
    providerExecuted,
  }
}

/** Changes only strings if that suffices. Invalid JSON may contain a secret anywhere. */
const hiddenJson = (text: string, hiding: Hiding): string => hiding.text(hiding.json(text))
