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

test('work that hangs leaves its place to others', async (t) => {
  const bodies = createLargeBodies()
  const { promise: hanging, resolve } = Promise.withResolvers<Buffer>()
  const slow = bodies.carryOut('slow', large, () => hanging)
  t.is((await bodies.carryOut('other', large, counter().work)).length, 0)
  resolve(Buffer.alloc(0))
  t.is((await slow).length, 0)
})
