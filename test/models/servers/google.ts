import { used, type Turn } from '../turns.ts'
import { event, type Format } from './scripted.ts'

const usageMetadata = {
  promptTokenCount: used.input,
  candidatesTokenCount: used.output,
  totalTokenCount: used.input + used.output,
  cachedContentTokenCount: used.cached,
}

/** Gemini seals the first call of an answer, or its text. */
function partsOf({ reasoning, signature, text, calls = [] }: Turn): object[] {
  const seal = signature === undefined ? {} : { thoughtSignature: signature }
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(text === undefined ? [] : [{ text, ...(calls.length === 0 && seal) }]),
    ...calls.map((call, index) => ({
      functionCall: { id: call.id, name: call.name, args: argsOf(call.arguments) },
      ...(index === 0 && seal),
    })),
  ]
}

/** This format cannot hold a text that is no JSON. */
export function argsOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const chunk = (parts: object[], last = false) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(last && { finishReason: 'STOP' }) }],
  ...(last && { usageMetadata }),
})

/** Gemini with thought signatures, which the mock does not write. */
export const google: Format = {
  streams: (path) => path.includes(':streamGenerateContent'),
  whole: (turn) => chunk(partsOf(turn), true),
  type: 'text/event-stream',
  stream: (turn) => {
    const parts = partsOf(turn)
    return parts.map((part, index) => event(chunk([part], index === parts.length - 1)))
  },
}
