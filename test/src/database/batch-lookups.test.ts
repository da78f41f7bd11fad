import test from 'ava'
import { batchLookups } from '../../../src/database/batch-lookups.ts'

test('questions that come together become one look-up, and each gets its own answer', async (t) => {
  const asked: string[][] = []
  const find = batchLookups<string, string>(async (keys) => {
    asked.push(keys)
    return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()]))
  })
  t.deepEqual(await Promise.all(['a', 'b', 'a', 'missing'].map(find)), ['A', 'B', 'A', undefined])
  t.deepEqual(asked, [['a', 'b', 'missing']])
})

test('an answer is never remembered', async (t) => {
  let value = 1
  const find = batchLookups<string, number>(async (keys) => new Map(keys.map((key) => [key, value])))
  t.is(await find('a'), 1)
  value = 2
  t.is(await find('a'), 2)
})

test('a look-up that fails fails for all who asked, and the next one is a new one', async (t) => {
  let away = true
  const find = batchLookups<string, string>(async (keys) => {
    if (away) throw new Error('away')
    return new Map(keys.map((key) => [key, key]))
  })
  const answers = await Promise.allSettled([find('a'), find('b')])
  t.true(answers.every(({ status }) => status === 'rejected'))
  away = false
  t.is(await find('a'), 'a')
})
