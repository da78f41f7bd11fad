import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Hiding } from '../hiding/hiding.ts'
import { fence } from '../models/fence.ts'
import { hiddenStep } from '../models/hidden-transcript.ts'
import {
  headersSentence,
  leftOutSentence,
  missingSentence,
  outputSentence,
  payloadSentence,
  schemaSentence,
  standingRules,
  summarySentence,
  triggerSentences,
  type Trigger,
} from '../models/prompt-format.ts'
import { bytesOf, bytesOnce, shortenCall } from '../models/prompt-size.ts'
import {
  maxResultBytes,
  sitesText,
  stepMessages,
  type MissingSite,
  type Reader,
  type Shown,
  type TranscriptStep,
} from '../models/prompt.ts'
import type { Sizes } from './fit.ts'
import type { ShownStep } from './transcript-step.ts'

interface SchemaField {
  name: string
  type: string
  required: boolean
  description?: string | undefined
}

export interface Transcript {
  systemPrompt: string
  trigger: Trigger
  /** The payload as received, or undefined. */
  payload?: string | undefined
  headers?: Record<string, string> | undefined
  schema?: SchemaField[] | undefined
  missingSites?: MissingSite[] | undefined
  outputSchema?: object | undefined
  /** The longest whole result, in bytes of UTF-8. Defaults to `maxResultBytes`. */
  resultBytes?: number | undefined
  /** The first steps that the model does not see, and an earlier summary of them. */
  leftOut?: { steps: number; summary?: string | undefined } | undefined
  steps: TranscriptStep[]
}

/** Masks secrets in a run's transcript. This precedes the fencing, because a mark is a hash of its text. */
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
    steps: steps.map((step) => hiddenStep(step, hiding)),
  }
}

/**
 * Writes the prompt of a run's next step. Payload and tool results are fenced and labeled as data, so that no text from
 * outside can pass for an instruction or leave its fence. The same transcript gives the same prompt.
 */
export function buildPrompt(transcript: Transcript, reader: Reader): LanguageModelV4Prompt {
  const shown = shownTo(reader, transcript)
  return [...openingMessages(transcript), ...transcript.steps.flatMap((step) => stepMessages(step, shown))]
}

const openings = new WeakMap<Transcript, LanguageModelV4Message[]>()

/** The messages before the steps. The same transcript returns the same object, because it is measured and sent. */
function openingMessages(transcript: Transcript): LanguageModelV4Message[] {
  const messages = openings.get(transcript) ?? [
    { role: 'system', content: [transcript.systemPrompt, standingRules].filter(Boolean).join('\n\n') },
    { role: 'user', content: [{ type: 'text', text: opening(transcript) }] },
  ]
  openings.set(transcript, messages)
  return messages
}

const shownTo = (reader: Reader, { resultBytes = maxResultBytes }: Transcript): Shown => ({
  ...reader,
  resultBytes,
})

function opening(transcript: Transcript): string {
  const { trigger, missingSites, schema, headers, payload, outputSchema, leftOut } = transcript
  const missing = missingSites?.length ? `${missingSentence}\n${fence('untrusted sites', sitesText(missingSites))}` : ''
  const fields = schema?.length ? `${schemaSentence}\n${fence('schema', JSON.stringify(schema, undefined, 1))}` : ''
  const output = outputSchema ? `${outputSentence}\n${fence('output schema', JSON.stringify(outputSchema))}` : ''
  const data = payload === undefined ? '' : `${payloadSentence}\n${fence('untrusted payload', payload)}`
  const headerText = headers ? `${headersSentence}\n${fence('untrusted headers', linesOf(headers))}` : ''
  const before = leftOut ? beforeText(leftOut) : ''
  return [triggerSentences[trigger], missing, fields, output, headerText, data, before].filter(Boolean).join('\n\n')
}

/** A summary was written from strangers' texts, so it is trusted no more than they are. */
const beforeText = ({ steps, summary }: NonNullable<Transcript['leftOut']>): string =>
  [leftOutSentence(steps), summary === undefined ? '' : `${summarySentence}\n${fence('untrusted summary', summary)}`]
    .filter(Boolean)
    .join('\n')

const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** The size of a prompt and its parts, in bytes of JSON. Steps with shortened results are measured only on demand. */
export function sizeOf(transcript: Omit<Transcript, 'steps'> & { steps: ShownStep[] }, reader: Reader): Sizes {
  const shown = shownTo(reader, transcript)
  return {
    fixed: bytesOf(openingMessages(transcript)),
    steps: transcript.steps.map((step) => ({
      step: step.step,
      whole: bytesOnce(stepMessages(step, shown)),
      get shortened() {
        return bytesOf(stepMessages({ ...step, calls: step.calls.map(shortenCall) }, shown))
      },
      hasCalls: step.calls.length > 0,
    })),
  }
}
