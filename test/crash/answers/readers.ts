import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ChatPart } from '../../../src/chat/parts.ts'
import { textOf, type TestSession } from '../../chat/stage.ts'

/** A stream while it lasts: somebody reads it until its process dies. */
export function read(response: Promise<Response>) {
  let text = ''
  const decoder = new TextDecoder()
  const ended = (async () => {
    const { body } = await response
    for await (const bytes of body ?? []) text += decoder.decode(bytes as Uint8Array, { stream: true })
  })().catch(() => undefined)
  return { ended, parts: () => partsIn(text), words: () => textOf(partsIn(text)) }
}

export type Reader = ReturnType<typeof read>

/** What has come so far. */
function partsIn(text: string): ChatPart[] {
  const frames = text.split('\n\n').slice(0, -1)
  const sent = frames.filter((frame) => frame.startsWith('data: {')).map((frame) => frame.slice('data: '.length))
  return sent.map((frame) => JSON.parse(frame) as ChatPart)
}

/** What somebody reads who has come back. */
export interface Reading {
  /** All parts, at the end of the stream; undefined if there was nothing to read. */
  parts: Promise<ChatPart[] | undefined>
}

/**
 * Asks for what the last answer of a session still says, until somebody answers. From then on, the answer may end: who asks
 * later finds it in the history.
 */
export async function readAgain({ url, token }: TestSession): Promise<Reading> {
  const ask = { headers: { 'x-session-token': token }, signal: AbortSignal.timeout(60_000) }
  for (;;) {
    const response = await fetch(`${url}/chat/messages/any/stream`, ask).catch(() => undefined)
    if (response?.status === 204) return { parts: Promise.resolve(undefined) }
    if (response) {
      const reader = read(Promise.resolve(response))
      return { parts: reader.ended.then(() => reader.parts()) }
    }
    ask.signal.throwIfAborted()
    await delay(50)
  }
}

interface Shown {
  parts: { type: string; text?: string; toolCallId?: string }[]
}

/**
 * Whether a reader was told the whole answer as it is on record, and nothing twice; otherwise what it was told. Of a step that
 * was begun again, the last text counts.
 */
export function verdictOn(parts: ChatPart[] | undefined, { parts: recorded }: Shown): string {
  if (!parts) return 'nothing'
  const steps = recorded.filter(({ type }) => type === 'step-start').length
  const calls = recorded.flatMap(({ toolCallId }) => toolCallId ?? [])
  const texts = recorded.flatMap(({ text }) => text ?? [])
  const told = {
    ends: [parts[0]?.type, parts.at(-1)?.type],
    steps: ['start-step', 'finish-step'].map((type) => parts.filter((part) => part.type === type).length),
    texts: lastTexts(parts),
    calls: parts.flatMap((part) => (part.type === 'tool-input-available' ? part.toolCallId : [])),
    outcomes: parts.flatMap((part) =>
      part.type === 'tool-output-available' || part.type === 'tool-output-error' ? part.toolCallId : [],
    ),
  }
  const expected = { ends: ['start', 'finish'], steps: [steps, steps], texts, calls, outcomes: calls }
  return isDeepStrictEqual(told, expected)
    ? 'the whole answer'
    : `${JSON.stringify(told)} of ${JSON.stringify(expected)}`
}

/** The last text of each step. */
function lastTexts(parts: ChatPart[]): string[] {
  const texts: string[] = []
  let step = -1
  for (const part of parts) {
    if (part.type === 'start-step') step += 1
    if (part.type === 'text-start') texts[step] = ''
    if (part.type === 'text-delta') texts[step] += part.delta
  }
  return texts
}
