import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { hidingOf } from '../../../src/hiding/hidings.ts'

const many = (count: number, secretOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => secretOf(index))

const kinds = {
  usual: () => `sk_live_${randomBytes(30).toString('base64url')}`,
  long: () => randomBytes(8192).toString('base64url').slice(0, 8192),
  'that begin alike': (index: number) => `${'a'.repeat(500)}${index}${'b'.repeat(7600)}`,
  'that end alike': (index: number) => `${index + 1000}${'a'.repeat(8000)}`,
}

/** The longest stretch of this thread without a turn of the event loop, in milliseconds of processor time. */
async function longestStretch(work: Promise<unknown>): Promise<number> {
  const state = { isOver: false }
  const ended = work.finally(() => {
    state.isOver = true
  })
  let longest = 0
  while (!state.isOver) {
    const before = process.threadCpuUsage()
    await nextTurn()
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
  }
  await ended
  return longest
}

for (const [kind, secretOf] of Object.entries(kinds)) {
  test.serial(`what finds 500 secrets ${kind} is made in short stretches, and kept`, async (t) => {
    const secrets = many(500, secretOf)
    const longest = await longestStretch(hidingOf(secrets))
    t.log(`${longest} ms`)
    t.true(longest < 50, `${longest} ms`)
    const hiding = await hidingOf(secrets)
    t.true(hiding === (await hidingOf([...secrets])), 'it is made once')
    // Of what repeats itself too much is hidden: the rest of the sentence, too.
    for (const secret of [secrets[0], secrets[250], secrets[499]])
      t.regex(hiding.text(`It is ${secret}, and no other.`), /^It is \[token\](?:, and no other\.)?$/)
  })
}
