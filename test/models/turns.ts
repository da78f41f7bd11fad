import type { Fixture } from '@copilotkit/aimock'

/** What a mock model says in one step. */
export interface Turn {
  reasoning?: string
  /** What the provider seals its reasoning with, where it does that. */
  signature?: string
  text?: string
  calls?: { id: string; name: string; arguments: string }[]
}

/** Spaces, quotes and characters beyond the basic plane, which are easily changed on the way. */
const awkward = (thought: string): string => `${thought}  "quoted" \\ 🧠\u2028 prüfe\n\n `
const sealed = (thought: string): string => Buffer.from(`sealed ${thought} +/=`).toString('base64')
const thinks = (thought: string) => ({ reasoning: awkward(thought), signature: sealed(thought) })

/** A number that JavaScript cannot hold. */
export const longNumber = '12345678901234567890'

/** Two calls at once, two that cannot be made, one more, and the answer: three steps with tools. */
export const turns: Turn[] = [
  {
    ...thinks('first'),
    text: 'I look at two things.',
    calls: [
      { id: 'callOne01', name: 'echo_text', arguments: '{"text":"one"}' },
      { id: 'callTwo02', name: 'echo_text', arguments: `{"text":"two","count":${longNumber}}` },
    ],
  },
  {
    ...thinks('second'),
    calls: [
      { id: 'callBad03', name: 'echo_text', arguments: '{"text":"broken' },
      { id: 'callNon04', name: 'no_such_tool', arguments: '{}' },
    ],
  },
  { ...thinks('third'), calls: [{ id: 'callTri05', name: 'echo_text', arguments: '{"text":"three"}' }] },
  { text: 'All done.' },
]

/** How many results the model has seen before each turn. */
export const resultsBefore = turns.map((_, index) =>
  turns.slice(0, index).reduce((sum, { calls = [] }) => sum + calls.length, 0),
)

/** What every turn is said to have used. */
export const used = { input: 1000, output: 50, cached: 400 }

/** The turns for the mock, which names the usage as each provider does. */
export const fixtures = (script: Turn[] = turns): Fixture[] =>
  script.map(({ reasoning, signature, text, calls }, index) => ({
    match: {
      predicate: ({ messages }) => messages.filter(({ role }) => role === 'tool').length === resultsBefore[index],
    },
    response: {
      ...(text !== undefined && { content: text }),
      ...(calls && { toolCalls: calls }),
      ...(text === undefined || calls === undefined ? {} : { content: text }),
      ...(reasoning !== undefined && { reasoning }),
      ...(signature !== undefined && { reasoningSignature: signature, redactedThinking: [`hidden ${signature}`] }),
      usage: {
        prompt_tokens: used.input,
        completion_tokens: used.output,
        input_tokens: used.input,
        output_tokens: used.output,
        promptTokenCount: used.input,
        candidatesTokenCount: used.output,
      },
    } as Fixture['response'],
  }))
