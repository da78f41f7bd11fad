import test from 'ava'
import { givenIn } from '../../console/screens/runs/compare/inputs.ts'
import { factsOf } from '../../console/screens/runs/timeline/facts.ts'
import { eventsOf } from './events.ts'

type Events = Parameters<typeof factsOf>[0]

const read = (...told: Parameters<typeof eventsOf>) => eventsOf(...told) as unknown as Events

test('a run was given the payload that was accepted and the prompt with which it started', (t) => {
  const payload = { issue: 7 }
  const events = read(['accepted', 0, { payload } as never], ['started', 1, { systemPrompt: 'Sort it.' } as never])
  t.deepEqual(givenIn(events), { input: payload, prompt: 'Sort it.' })
})

test('what is no longer stored is not given', (t) => {
  t.deepEqual(givenIn([]), { input: undefined, prompt: undefined })
  t.is(givenIn(read(['accepted', 0, { payload: null } as never])).input, undefined)
})

test('bodies come first, then usage, then lines; empty members say nothing', (t) => {
  const facts = factsOf(
    read([
      'step.finished',
      0,
      {
        model: 'openai/gpt-5',
        text: 'Done.',
        note: '',
        result: null,
        inputTokens: 1,
        outputTokens: 20,
        credits: 1,
        costUsd: null,
      } as never,
    ]),
  )
  t.deepEqual(
    facts.map(({ name, isBody }) => [name, isBody]),
    [
      ['Answer', true],
      ['Usage', false],
      ['Model', false],
    ],
  )
  t.regex(String(facts[1]?.value), /^1 token read \(0 tokens of them cached\) · 20 tokens written · 1 credit · /)
})

test('of a member that several events have, the last one counts', (t) => {
  const facts = factsOf(read(['tool.failed', 0, { message: 'busy' }], ['tool.finished', 1, { message: 'gone' }]))
  t.deepEqual(facts, [{ name: 'Message', value: 'gone', isBody: false }])
})
