// @promise budgets
import test from 'ava'
import { sharedWorld } from './clients/world.ts'
import { partsOf, send, textOf } from './stage.ts'

const world = sharedWorld(test)

const same = '[[call echo_text {"text":"again"}]]'
const steps = (times: number, last: string) => [...Array.from({ length: times }, () => same), last].join(' [[then]] ')

test('the third identical call of an answer in a row is answered with a warning, and the fifth ends the answer', async (t) => {
  const { sites, toolSession } = await world()
  const { session } = await toolSession({ tools: ['echo_text'] })
  const parts = await partsOf(t, await send(session, { text: steps(9, '[[say Done.]]'), stream: true }))
  const calls = parts.flatMap((part) => (part.type === 'tool-input-available' ? [`chat:${part.toolCallId}`] : []))
  t.is(calls.length, 5)
  const sent = sites.badTools.requests().filter(({ idempotencyKey }) => calls.includes(idempotencyKey ?? ''))
  t.is(sent.length, 2)
  const failures = parts.flatMap((part) => (part.type === 'tool-output-error' ? [part.errorText] : []))
  t.is(failures.length, 3)
  for (const [index, failure] of failures.entries()) t.regex(failure, new RegExp(`the same call ${index + 3} times`))
  t.like(parts.at(-2), { type: 'data-error', data: { code: 'MODEL_ERROR', statusCode: 502 } })
  t.regex(JSON.stringify(parts.at(-1)), /the same tool call 5 times in a row/)
})

test('an answer whose model comes to its senses goes on, and the calls of the next answer are counted anew', async (t) => {
  const { toolSession } = await world()
  const { session } = await toolSession({ tools: ['echo_text'] })
  for (const _ of ['first', 'second']) {
    const parts = await partsOf(t, await send(session, { text: steps(4, '[[say Done.]]'), stream: true }))
    t.regex(textOf(parts), /Done\./)
    t.is(parts.filter(({ type }) => type === 'tool-output-available').length, 2)
  }
})
