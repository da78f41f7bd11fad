import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import test from 'ava'
import { quotesPrompt } from '../../../../src/models/refusals/quotes-prompt.ts'

const words = 'My card is "4111 1111 1111 1111"\nand its owner is Ada Lovelace of London.'
const prompt: LanguageModelV4Prompt = [
  { role: 'system', content: 'Answer in short sentences.' },
  { role: 'user', content: [{ type: 'text', text: words }] },
]

test('a sentence that repeats a part of the prompt is known, wherever the part stands in either of them', (t) => {
  for (let shift = 0; shift < 10; shift += 1) {
    const before = 'x'.repeat(shift)
    t.true(quotesPrompt(`${before}input_value='its owner is Ada Lovelace', input_type=str`, prompt))
    t.true(quotesPrompt(`${before}Unexpected: ${words}`, prompt))
    t.true(quotesPrompt(`${before}role system: Answer in short sentences.`, prompt))
  }
})

test('a sentence of the provider alone repeats nothing', (t) => {
  for (const sentence of [
    '',
    "Invalid schema for function 'find'",
    "This model's maximum context length is 4096 tokens.",
  ])
    t.false(quotesPrompt(sentence, prompt))
})
