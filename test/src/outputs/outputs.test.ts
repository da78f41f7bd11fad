import test from 'ava'
import type * as inThread from '../../../src/in-thread.ts'
import { createOutputs } from '../../../src/outputs/outputs.ts'
import { createThreads } from '../../../src/threads/threads.ts'
import { exhausted } from '../../helpers/threads.ts'

const file = new URL('../../../src/in-thread.ts', import.meta.url)
const threads = createThreads<typeof inThread>({ file })
test.after.always(() => threads.close())

const schema = { type: 'integer' }

test('schemas and answers are checked in threads', async (t) => {
  const outputs = createOutputs({ threads })
  await t.notThrowsAsync(outputs.assertSchema(schema, 'owner'))
  const refused = await t.throwsAsync(outputs.assertSchema({ items: { $ref: '#' } }, 'owner'), {
    code: 'VALIDATION_ERROR',
  })
  t.like(refused, {
    details: [{ path: 'outputSchema.items.$ref', message: 'is a reference, and references are not supported' }],
  })
  t.deepEqual(await outputs.read(schema, ' 9007199254740993 ', 'owner'), { output: '9007199254740993' })
  t.true('problems' in (await outputs.read(schema, 'none', 'owner')))
})

test('what takes too long is refused', async (t) => {
  const outputs = createOutputs({ threads: exhausted })
  const refused = await t.throwsAsync(outputs.assertSchema(schema, 'owner'), { code: 'VALIDATION_ERROR' })
  t.like(refused, {
    details: [{ path: 'outputSchema', message: 'takes too long to check because its patterns are too complex' }],
  })
  const message = 'is too large to check against the JSON Schema'
  t.deepEqual(await outputs.read(schema, '1', 'owner'), { problems: [{ path: '', message }] })
})

test('a text that is too long for an output occupies no thread', async (t) => {
  const outputs = createOutputs({ threads: { run: () => Promise.reject(new Error('no thread is needed')) } })
  const message = 'must have at most 262144 characters'
  const long = `"${'x'.repeat(256 * 1024)}"`
  t.deepEqual(await outputs.read(schema, long, 'owner'), { problems: [{ path: '', message }] })
})
