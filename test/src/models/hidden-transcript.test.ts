import type { LanguageModelV4Content } from '@ai-sdk/provider'
import test from 'ava'
import { hideSecrets } from '../../../src/hiding/hiding.ts'
import { readAnswer } from '../../../src/models/answer.ts'
import type { RawAnswer } from '../../../src/models/collect-answer.ts'
import { hiddenTranscript } from '../../../src/loop/run-prompt.ts'
import { hiddenAnswer, hiddenContent } from '../../../src/models/hidden-transcript.ts'

const hiding = hideSecrets(['tokB-secret-Value_12345'])

const text = (words: string, signature?: string) => ({
  type: 'text' as const,
  text: words,
  ...(signature !== undefined && { providerMetadata: { a: { signature } } }),
})
const reasoning = (words: string) => ({
  type: 'reasoning' as const,
  text: words,
  providerMetadata: { a: { signature: 's' } },
})
const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'echo', input: '{"a":1}' }

const answered = (content: LanguageModelV4Content[]): RawAnswer => ({
  content,
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
})

const recorded = (content: LanguageModelV4Content[]) =>
  readAnswer(hiddenAnswer(answered(content), hiding), { by: 'a b c', prompt: [], tools: [{ name: 'echo' }] })

const splits: Record<string, { parts: LanguageModelV4Content[]; shown: string }> = {
  'two texts': { parts: [text('x tokB-secr', '1'), text('et-Value_12345', '2')], shown: 'x [token]' },
  'texts around reasoning': {
    parts: [text('x tokB-secr'), reasoning('hm'), text('et-Value_12345.')],
    shown: 'x [token].',
  },
  'texts around a call': { parts: [text('tokB-secr'), call, text('et-Value_12345')], shown: '[token]' },
  'two pieces of reasoning': {
    parts: [reasoning('tokB-secr'), text('Hello'), reasoning('et-Value_12345')],
    shown: 'Hello',
  },
  'reasoning and text': { parts: [reasoning('it is tokB-secr'), text('et-Value_12345')], shown: 'et-Value_12345' },
}

for (const [how, { parts, shown }] of Object.entries(splits)) {
  test(`a secret that a model divides over ${how} is not recorded, and nothing is kept verbatim`, (t) => {
    const answer = recorded([...parts, { ...call, toolCallId: 'c2' }])
    t.is(answer.text, shown)
    t.is(answer.content, null)
    t.is(answer.calls.at(-1)?.id, 'c2')
  })
}

test('an answer without a secret is kept as it came', (t) => {
  const answer = answered([text('tokB-', '1'), reasoning('hm'), text('and no more', '2'), call])
  t.is(hiddenAnswer(answer, hiding), answer)
})

test('a divided secret that became known after it was recorded is not sent on', (t) => {
  for (const { parts } of Object.values(splits)) {
    const given = readAnswer(answered(parts), { by: 'a b c', prompt: [], tools: [] })
    const steps = [{ text: given.text, content: given.content, calls: [] }]
    const shownWith = (known: typeof hiding) => hiddenTranscript({ systemPrompt: '', trigger: 'manual', steps }, known)
    shownWith(hideSecrets(['another-Secret_98765']))
    const shown = shownWith(hiding)
    t.is(shown.steps[0]?.content, null)
    t.false(shown.steps[0]?.text.includes('tokB-secret'))
  }
})

test('no part of a transcript is sent on with a secret in it, nor one of a call', (t) => {
  const secret = 'tokB-secret-Value_12345'
  const shown = hiddenTranscript(
    {
      systemPrompt: secret,
      trigger: 'manual',
      payload: secret,
      headers: { [secret]: secret },
      schema: [{ path: secret, description: secret }] as never,
      missingSites: [{ name: secret, origin: 'https://a.example.com' }] as never,
      outputSchema: { title: secret },
      leftOut: { steps: 1, summary: secret },
      steps: [{ text: secret, content: null, problem: { code: 'a', detail: secret } as never, calls: [] }],
    },
    hiding,
  )
  t.false(JSON.stringify(shown).includes(secret))
  t.is(JSON.stringify(shown).split('[token]').length - 1, 11)
  const named = { ...call, toolCallId: secret, toolName: `of ${secret}`, input: JSON.stringify({ a: secret }) }
  t.deepEqual(hiddenContent([named], hiding), [
    { ...call, toolCallId: '[token]', toolName: 'of [token]', input: '{"a":"[token]"}', providerExecuted: false },
  ])
})
