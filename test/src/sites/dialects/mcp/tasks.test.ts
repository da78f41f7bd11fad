import test from 'ava'
import type { CallOutcome } from '../../../../../src/tools/call-outcome.ts'
import { completed, done, startTaskServer } from '../../../../helpers/tasks.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

const can = { mayAsk: true, mayLast: true }
const jobOf = (outcome: CallOutcome): string => {
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
  return outcome.job
}

test('a call becomes a task only if somebody can wait for it, and is not sent again to learn its end', async (t) => {
  const server = await startTaskServer(t)
  const { call } = await openDialect(t)
  t.like(await call(server.url, 'work'), { kind: 'succeeded' })
  const accepted = await call(server.url, 'work', can)
  t.like(accepted, { kind: 'accepted', text: 'Reading the sources.', askAfter: 1 })
  const job = jobOf(accepted)
  t.like(await call(server.url, 'work', { ...can, job }), { kind: 'accepted', job })
  server.said = done
  const ended = await call(server.url, 'work', { ...can, job })
  t.like(ended, { kind: 'succeeded' })
  t.regex(ended.text, /All done/)
  t.is(server.calls().length, 2)
})

const pinned = {
  name: 'work',
  description: 'Works.',
  input_schema: {},
  output_schema: { type: 'object', properties: { sum: { type: 'number' } } },
}
const error = (code: number) => ({ status: 'failed', error: { code, message: 'It broke.' } })
const words = (text: string, more: object = {}) => completed({ content: [{ type: 'text', text }], ...more })

const ends: Record<string, [said: Record<string, unknown> & { status: string }, Partial<CallOutcome>, RegExp]> = {
  'a structured result that matches': [
    words('5', { structuredContent: { sum: 5 } }),
    { kind: 'succeeded' },
    /^\{"sum":5\}$/,
  ],
  'one that does not match': [
    words('five', { structuredContent: { sum: 'five' } }),
    { kind: 'succeeded' },
    /five.*does not match/,
  ],
  'a long number': [
    completed({ content: [], structuredContent: { sum: 'LONG' } }),
    { kind: 'succeeded' },
    /12345678901234567890/,
  ],
  'an error of the tool': [words('It is broken.', { isError: true }), { kind: 'rejected' }, /It is broken/],
  'a refusal of the arguments': [error(-32_602), { kind: 'rejected' }, /It broke/],
  'an error in the middle': [error(-32_603), { kind: 'broken', isJobOver: true }, /It broke/],
  'a cancellation by the site': [
    { status: 'cancelled', statusMessage: 'No time.' },
    { kind: 'broken', isJobOver: true },
    /cancelled.*No time/,
  ],
  'no result at all': [{ status: 'completed' }, { kind: 'unread' }, /no result of a tool/],
  'a state that nobody knows': [{ status: 'dreaming' }, { kind: 'broken' }, /does not say/],
}

for (const [what, [said, expected, sentence]] of Object.entries(ends))
  test(`a task ends with ${what}`, async (t) => {
    const server = await startTaskServer(t)
    const { call } = await openDialect(t)
    const job = jobOf(await call(server.url, 'work', can))
    server.said = said
    const outcome = await call(server.url, 'work', { ...can, job, pinned })
    t.like(outcome, expected)
    t.regex(outcome.text, sentence)
  })

const created: Record<string, { status: string; statusMessage?: string }> = {
  'its end': { status: 'completed', statusMessage: 'Done already.' },
  'its failure': error(-32_603),
  'its cancellation': { status: 'cancelled' },
  'a question': { status: 'input_required' },
  'a state that nobody knows': { status: 'dreaming' },
}

for (const [what, said] of Object.entries(created))
  test(`a task that is created with ${what} is asked about by its id`, async (t) => {
    const server = await startTaskServer(t)
    const { call } = await openDialect(t)
    server.created = said
    const accepted = await call(server.url, 'work', can)
    const job = jobOf(accepted)
    t.is(accepted.text, said.statusMessage ?? '')
    server.said = done
    t.like(await call(server.url, 'work', { ...can, job }), { kind: 'succeeded' })
    t.deepEqual(
      server.asked('tasks/get').map(({ taskId }) => taskId),
      [...server.tasks.keys()],
    )
  })

test('a task that is created without an id leaves its call in doubt, and nothing is asked', async (t) => {
  const server = await startTaskServer(t)
  const { call } = await openDialect(t)
  server.created = { status: 'working', taskId: '' }
  const outcome = await call(server.url, 'work', can)
  t.like(outcome, { kind: 'broken', certain: false, isJobOver: true })
  t.regex(outcome.text, /did not say how to ask/)
})
