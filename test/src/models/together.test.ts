import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { collectAnswer } from '../../../src/models/collect-answer.ts'
import { createStatedUsage } from '../../../src/models/stated-usage.ts'
import { together } from '../../../src/models/together.ts'

test('parts that have arrived are read together, and later ones apart', async (t) => {
  const { writer, stream } = pipe<number>()
  const groups: number[][] = []
  const reading = (async () => {
    for await (const group of together(stream)) groups.push(group)
  })()
  for (const part of [1, 2, 3]) void writer.write(part)
  await delay(20)
  void writer.write(4)
  await delay(20)
  await writer.close()
  await reading
  t.deepEqual(groups, [[1, 2, 3], [4]])
})

test('a failure comes after the parts before it', async (t) => {
  const stream = ReadableStream.from(
    (async function* () {
      yield 1
      yield 2
      throw new Error('cut')
    })(),
  )
  const seen: number[] = []
  await t.throwsAsync(
    async () => {
      for await (const group of together(stream)) seen.push(...group)
    },
    { message: 'cut' },
  )
  t.deepEqual(seen, [1, 2])
})

test('a reader that stops early cancels the stream at once, although nothing more arrives', async (t) => {
  let cancelled = false
  const stream = new ReadableStream<number>({
    start: (controller) => controller.enqueue(1),
    cancel: () => {
      cancelled = true
    },
  })
  for await (const group of together(stream)) {
    t.deepEqual(group, [1])
    break
  }
  t.true(cancelled)
})

test('a stream that never pauses is read in bounded groups', async (t) => {
  let read = 0
  const endless = new ReadableStream<number>({ pull: (controller) => controller.enqueue((read += 1)) })
  let groups = 0
  for await (const group of together(endless)) {
    t.true(group.length <= 100)
    if ((groups += 1) === 3) break
  }
  t.is(groups, 3)
})

test('words that arrive together are passed on at once, in order, before the answer fails', async (t) => {
  const { writer, stream } = pipe<never>()
  const heard: string[] = []
  const collecting = collectAnswer(stream, createStatedUsage(), (text) => void heard.push(text))
  const parts = [
    { type: 'text-start', id: '1' },
    ...['One ', 'two ', 'three.'].map((delta) => ({ type: 'text-delta', id: '1', delta })),
    { type: 'reasoning-start', id: '2' },
    { type: 'reasoning-delta', id: '2', delta: 'unheard' },
    { type: 'error', error: new Error('cut') },
  ]
  for (const part of parts) void writer.write(part as never)
  await writer.close()
  await t.throwsAsync(collecting)
  t.deepEqual(heard, ['One two three.'])
})

/** A stream that takes in parts as they are written. */
function pipe<T>() {
  const { readable, writable } = new TransformStream<T, T>(undefined, { highWaterMark: 100 }, { highWaterMark: 100 })
  return { stream: readable, writer: writable.getWriter() }
}
