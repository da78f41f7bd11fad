import test from 'ava'
import type { WebhookField } from '../../../src/agents/agent.ts'
import type * as inThread from '../../../src/in-thread.ts'
import { createThreads } from '../../../src/threads/threads.ts'
import { writeJson } from '../../../src/json-text.ts'
import { createPayloads } from '../../../src/webhooks/payloads.ts'
import { exhausted } from '../../helpers/threads.ts'

const file = new URL('../../../src/in-thread.ts', import.meta.url)
const threads = createThreads<typeof inThread>({ file })
test.after.always(() => threads.close())

const payloads = createPayloads({ threads })
const webhookSchema: WebhookField[] = [{ name: 'n', type: 'number', required: true }]
const agent = { ownerId: 'the owner', webhookSchema }

/** A large one says the same as a small one, so it is read by the same rules. */
const padding = `"padding":"${'x'.repeat(100_000)}"`

test('a large payload is read in a thread as a small one is at once', async (t) => {
  for (const rest of ['"n":1', '"n":"1"', '"type":"url_verification","challenge":"c"', '"id":"a","event_id":1']) {
    const [small, large] = [`{${rest}}`, `{${rest},${padding}}`]
    const { text: _, ...facts } = await payloads.read(Buffer.from(small), agent)
    t.deepEqual(await payloads.read(Buffer.from(large), agent), { ...facts, text: large }, rest)
  }
  const wrong = ['[', '"x"', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'null', '[1]']
  for (const small of wrong) {
    const expected = await t.throwsAsync(payloads.read(Buffer.from(small), agent), { code: 'VALIDATION_ERROR' })
    const large = `${small}${' '.repeat(100_000)}`
    await t.throwsAsync(payloads.read(Buffer.from(large), agent), { message: expected.message }, small)
  }
})

test('a payload is shown with its numbers as they were written, and so that every reader can read it', async (t) => {
  const shown = async (text: string) => writeJson(await payloads.show(text, 'the owner'))
  const [given, expected] = [
    '"id":12345678901234567890,"price":1.0,"a":1,"a":[1e400]',
    '"id":12345678901234567890,"price":1.0,"a":[null]',
  ]
  t.is(await shown(`{ ${given} }`), `{${expected}}`)
  t.is(await shown(`{ ${padding}, ${given} }`), `{${padding},${expected}}`)
  t.is(await createPayloads({ threads: exhausted }).show(`{${padding}}`, 'the owner'), undefined)
})

test('a payload that takes too long to read is refused', async (t) => {
  const reading = createPayloads({ threads: exhausted }).read(Buffer.from(`{${padding}}`), agent)
  await t.throwsAsync(reading, { code: 'VALIDATION_ERROR', message: /too complex/ })
})

test('a required field is not there because every object of JavaScript has one of its name', async (t) => {
  const fields: WebhookField[] = [{ name: 'toString', type: 'string', required: true }]
  const mismatchesOf = async (text: string) =>
    (await payloads.read(Buffer.from(text), { ...agent, webhookSchema: fields })).mismatches
  t.deepEqual(await mismatchesOf('{}'), [{ path: 'toString', message: 'This field is required.' }])
  t.deepEqual(await mismatchesOf('{"toString":"text"}'), [])
})

test('small payloads need no thread', async (t) => {
  const none = { run: () => Promise.reject(new Error('no thread is needed')) }
  const { mismatches } = await createPayloads({ threads: none }).read(Buffer.from('{"n":1}'), agent)
  t.deepEqual(mismatches, [])
})
