import test from 'ava'
import { Turns, type Asker } from './turns.ts'

const quick = { isSlow: false, place: 0 }
const slow = { isSlow: true, place: 0 }

/** Asks for a turn for each; `begun` returns those that got one since its last call. */
function asking(turns: Turns, askers: Record<string, Asker>) {
  const begun: string[] = []
  for (const [name, asker] of Object.entries(askers)) void turns.take(asker).then(() => begun.push(name))
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { begun: async () => (await settled(), begun.splice(0)) }
}

test('so many go at once, in their order, and of the slow ones fewer', async (t) => {
  const turns = new Turns(3, 2)
  const askers = { s1: slow, s2: slow, s3: slow, q1: quick, q2: quick, q3: quick, s4: slow }
  const { begun } = asking(turns, askers)
  t.deepEqual(await begun(), ['s1', 's2', 'q1'])
  turns.pass(quick)
  t.deepEqual(await begun(), ['q2'])
  turns.pass(slow)
  t.deepEqual(await begun(), ['s3'])
  turns.pass(quick)
  turns.pass(slow)
  t.deepEqual(await begun(), ['q3', 's4'])
})

test('who has an earlier place goes before those who have asked before', async (t) => {
  const turns = new Turns(1, 1)
  const { begun } = asking(turns, {
    a: quick,
    b: { ...quick, place: 2 },
    c: { ...slow, place: 1 },
    d: { ...quick, place: 1 },
  })
  const order = []
  for (const asker of [quick, slow, quick, quick]) {
    order.push(...(await begun()))
    turns.pass(asker)
  }
  t.deepEqual(order, ['a', 'c', 'd', 'b'])
})

test('a turn that nobody waits for is there for whoever asks next', async (t) => {
  const turns = new Turns(1, 1)
  const first = asking(turns, { s1: slow })
  t.deepEqual(await first.begun(), ['s1'])
  turns.pass(slow)
  const second = asking(turns, { q1: quick, s2: slow })
  t.deepEqual(await second.begun(), ['q1'])
  turns.pass(quick)
  t.deepEqual(await second.begun(), ['s2'])
})
