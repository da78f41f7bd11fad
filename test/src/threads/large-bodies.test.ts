import test from 'ava'
import { createLargeBodies } from '../../../src/threads/large-bodies.ts'

const [small, large] = [64 * 1024, 64 * 1024 + 1]

/** Work that notes how many go on at a time. */
function counter() {
  let [now, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++now)
    await new Promise(setImmediate)
    now -= 1
    return Buffer.alloc(0)
  }
  return { work, most: () => most }
}

const parties = Array.from({ length: 8 }, (_, number) => `party ${number}`)

test('large bodies are carried out one at a time, small ones at once', async (t) => {
  const bodies = createLargeBodies()
  const [ofLarge, ofSmall] = [counter(), counter()]
  await Promise.all(parties.map((party) => bodies.carryOut(party, large, ofLarge.work)))
  await Promise.all(parties.map((party) => bodies.carryOut(party, small, ofSmall.work)))
  t.deepEqual([ofLarge.most(), ofSmall.most()], [1, 8])
})

test('bodies that are large, or of unknown size, are read one at a time', async (t) => {
  for (const [bytes, most] of [
    [large, 1],
    [undefined, 1],
    [small, 8],
  ] as const) {
    const bodies = createLargeBodies()
    const { work, most: seen } = counter()
    await Promise.all(parties.map((party) => bodies.read(party, bytes, work)))
    t.is(seen(), most, String(bytes))
  }
})

test('a body that comes slowly, or work that hangs, leaves its place to others', async (t) => {
  const bodies = createLargeBodies()
  const { promise: hanging, resolve } = Promise.withResolvers<Buffer>()
  const slow = [bodies.read('slow', large, () => hanging), bodies.carryOut('slow', large, () => hanging)]
  const { work } = counter()
  await Promise.all([bodies.read('other', large, work), bodies.carryOut('other', large, work)])
  resolve(Buffer.alloc(0))
  t.is((await Promise.all(slow)).length, 2)
})
