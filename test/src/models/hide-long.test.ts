// @promise hiding
import test from 'ava'
import { hidingOf } from '../../../src/hiding/hiding-cache.ts'
import type * as inThread from '../../../src/in-thread.ts'
import { createHideLong } from '../../../src/models/hide-long.ts'
import { createThreads, type Threads } from '../../../src/threads/threads.ts'

const secret = 'tokC-secret-Value_12345'
const threads = createThreads<typeof inThread>({ file: new URL('../../../src/in-thread.ts', import.meta.url) })
test.after.always(() => threads.close())

/** With threads that note what they were asked. */
function opened() {
  const asked: string[] = []
  const run: Threads<typeof inThread>['run'] = (party, name, input) => {
    asked.push(`${party} ${name}`)
    return threads.run(party, name, input)
  }
  return { asked, hideLong: createHideLong({ threads: { run } }) }
}

const toolsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, about: [`uses ${secret}`, index, null] }))

const answerOf = (words: string) => ({
  content: [
    { type: 'text' as const, text: words },
    { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'echo', input: JSON.stringify({ secret }) },
  ],
  finishReason: { unified: 'stop' as const, raw: 'stop' },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
})

test('long tools and answers lose the secrets in a thread, short ones at once', async (t) => {
  const hiding = await hidingOf([secret])
  for (const [count, calls] of [
    [3, []],
    [2000, ['o hideJson']],
  ] as const) {
    const { asked, hideLong } = opened()
    const tools = toolsOf(count)
    const hidden = await hideLong.value(tools, hiding, 'o')
    t.deepEqual(hidden, hiding.value(tools))
    t.notRegex(JSON.stringify(hidden), /secret-Value/)
    t.deepEqual(asked, [...calls])
  }
  for (const [length, calls] of [
    [10, []],
    [100_000, ['o hideContent']],
  ] as const) {
    const { asked, hideLong } = opened()
    const { content } = await hideLong.answer(answerOf(`${'word '.repeat(length)}${secret}`), hiding, 'o')
    t.notRegex(JSON.stringify(content), /secret-Value/)
    t.like(content.at(-1), { toolName: 'echo', input: '{"secret":"[token]"}' })
    t.deepEqual(asked, [...calls])
  }
})

test('what holds no secret stays as it is, the same object', async (t) => {
  const hiding = await hidingOf([secret])
  const { hideLong } = opened()
  const tools = [{ name: 'plain', about: 'words '.repeat(10_000) }]
  t.is(await hideLong.value(tools, hiding, 'o'), tools)
  t.is(await hideLong.value(undefined, hiding, 'o'), undefined)
  const answer = { ...answerOf(''), content: [{ type: 'text' as const, text: 'words '.repeat(10_000) }] }
  t.is(await hideLong.answer(answer, hiding, 'o'), answer)
})
