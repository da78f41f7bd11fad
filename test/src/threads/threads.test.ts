// @promise hard-texts
import test, { type ExecutionContext } from 'ava'
import { createThreads, TooComplexError } from '../../../src/threads/threads.ts'
import type * as work from './work.ts'

interface Options {
  deadlineMs?: number
  memoryMb?: number
  places?: number
  usedMs?: () => number
}

function open(t: ExecutionContext, options: Options = {}) {
  const threads = createThreads<typeof work>({ file: new URL('work.ts', import.meta.url), ...options })
  t.teardown(() => threads.close())
  return threads
}

test('work is done in a thread that has no environment', async (t) => {
  const threads = open(t)
  t.is(await threads.run('someone', 'add', { a: 1, b: 2 }), 3)
  t.deepEqual(await threads.run('someone', 'environment', undefined), [])
})

test('work that takes too long is given up, the event loop is free meanwhile, and the next work is done', async (t) => {
  t.timeout(20_000)
  const threads = open(t, { deadlineMs: 2000, places: 1 })
  t.is(await threads.run('someone', 'add', { a: 1, b: 2 }), 3)
  let turns = 0
  const turning = setInterval(() => (turns += 1), 10)
  t.teardown(() => clearInterval(turning))
  await t.throwsAsync(threads.run('someone', 'spin', undefined), { instanceOf: TooComplexError })
  // Other tests use this event loop too, so it has fewer than 200 turns.
  t.true(turns >= 5, `${turns} turns`)
  t.is(await threads.run('someone', 'add', { a: 2, b: 2 }), 4)
})

test('work that gets no processor is not given up for it', async (t) => {
  const threads = open(t, { deadlineMs: 500, places: 1, usedMs: () => 0 })
  t.is(await threads.run('someone', 'stand', 1500), 1500)
  await t.throwsAsync(open(t, { deadlineMs: 20, usedMs: () => 0 }).run('someone', 'spin', undefined), {
    instanceOf: TooComplexError,
  })
})

test('work that takes too much memory is given up, and the process goes on', async (t) => {
  const threads = open(t, { memoryMb: 32 })
  await t.throwsAsync(threads.run('someone', 'grow', undefined), { instanceOf: TooComplexError })
  t.is(await threads.run('someone', 'add', { a: 2, b: 2 }), 4)
})

test('an error of the work is an error', async (t) => {
  await t.throwsAsync(open(t).run('someone', 'fail', undefined), { message: 'broken' })
})
