import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import test from 'ava'
import { chatPrompt, type Chat } from '../../../src/loop/chat-prompt.ts'
import { windowOf } from '../../../src/models/context-window.ts'
import { chatLeftOutSentence, shortenedSentence } from '../../../src/models/prompt-format.ts'

/* How a chat is cut so that it fits: by the rule of runs, with exchanges in place of steps. */

const shown = { reader: { by: 'test', textArguments: true }, window: windowOf(10_000, 2000), toolBytes: 0 }

/** So many exchanges from a place on, each with a result of so many characters. */
const exchangesOf = (count: number, { from = 1, characters = 3000 } = {}): Chat['exchanges'] =>
  Array.from({ length: count }, (_, index) => {
    const number = from + index
    const outcome = { status: 'succeeded' as const, text: `${'x'.repeat(characters)}end ${number}.` }
    const read = { text: '', calls: [{ id: `c${number}`, name: 'read', arguments: '{}', outcome }] }
    return { number, words: `Message ${number}.`, steps: [read, { text: `Answer ${number}.`, calls: [] }] }
  })

const chatOf = (exchanges: Chat['exchanges'], more: Partial<Chat> = {}): Chat => ({
  exchanges,
  shortenedThrough: 0,
  summarizes: false,
  ...more,
})

function asked(chat: Chat) {
  const question = chatPrompt(chat, shown)
  if ('tokens' in question) throw new Error('the chat is too long')
  return { ...question, text: JSON.stringify(question.prompt) }
}

const rolesOf = (prompt: LanguageModelV4Prompt) => prompt.map(({ role }) => role)

test('a chat that fits is shown whole', (t) => {
  const { text, cuts, isSummary } = asked(chatOf(exchangesOf(3)))
  t.deepEqual(cuts, { shortenedThrough: 0, leftOutThrough: 0 })
  t.false(isSummary || text.includes(shortenedSentence) || text.includes(chatLeftOutSentence))
})

test('the results of the oldest exchanges are shortened first, and the last exchange stays whole', (t) => {
  const { text, cuts } = asked(chatOf(exchangesOf(8)))
  t.is(cuts.leftOutThrough, 0)
  t.true(cuts.shortenedThrough > 0 && cuts.shortenedThrough < 8)
  t.true(text.includes('Message 1.') && !text.includes('end 1.') && text.includes('end 8.'))
})

test('the oldest exchanges are left out if that is not enough, and the prompt says so', (t) => {
  const { text, cuts, prompt } = asked(chatOf(exchangesOf(200, { characters: 250 })))
  t.true(cuts.leftOutThrough > 0)
  t.false(text.includes(`Message ${cuts.leftOutThrough}.`))
  t.true(text.includes(`Message ${cuts.leftOutThrough + 1}.`) && text.includes(chatLeftOutSentence))
  t.deepEqual(rolesOf(prompt).slice(0, 2), ['system', 'user'])
})

test('what was cut once stays cut, so that the next prompts begin alike', (t) => {
  const first = asked(chatOf(exchangesOf(8)))
  const next = asked(chatOf(exchangesOf(9), { shortenedThrough: first.cuts.shortenedThrough }))
  t.deepEqual(next.cuts, first.cuts)
  t.true(next.text.startsWith(first.text.slice(0, first.text.indexOf('Message 8.'))))
})

test('a chat that wants it is summarized before anything is left out, with the summary of what was left out before', (t) => {
  const more = { summarizes: true, summary: 'The user likes tea.' }
  const exchanges = exchangesOf(200, { from: 11, characters: 250 })
  const { text, cuts, isSummary } = asked(chatOf(exchanges, more))
  t.true(isSummary && cuts.leftOutThrough > 10)
  t.regex(text, /Write a summary of/)
  t.true(text.includes('The user likes tea.'))
  t.true(text.includes(`Message ${cuts.leftOutThrough}.`) && !text.includes(`Message ${cuts.leftOutThrough + 1}.`))
})

test('a summary stands in place of what is left out, fenced and no longer than asked for', (t) => {
  const summary = `The user likes tea. ${'y'.repeat(20_000)}`
  const { text, isSummary } = asked(chatOf(exchangesOf(2, { from: 11 }), { summarizes: true, summary }))
  t.false(isSummary)
  t.regex(text, /<<<untrusted summary/)
  t.true(text.includes(chatLeftOutSentence) && text.includes('The user likes tea.'))
  t.true(text.length < 20_000)
})

test('the results of an answer are shortened last, but not those of its last step', (t) => {
  const [exchange] = exchangesOf(1)
  const steps = exchangesOf(12).flatMap((one) => one.steps.slice(0, 1))
  const { text, cuts } = asked(chatOf([{ number: 1, words: exchange?.words ?? '', steps }]))
  t.deepEqual(cuts, { shortenedThrough: 0, leftOutThrough: 0 })
  t.true(!text.includes('end 1.') && text.includes('end 12.'))
})

test('a message that no window has room for is told with both sizes', (t) => {
  const words = 'Read it all. '.repeat(10_000)
  t.like(chatPrompt(chatOf([{ number: 1, words, steps: [] }]), shown), { contextTokens: 10_000, promptTokens: 8000 })
})
