import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createMatcher } from '../../../src/hiding/matcher.ts'
import { spellingsOf } from '../../../src/hiding/spellings.ts'

const units = 100_000
const filled = (text: string) => text.repeat(Math.ceil(units / text.length)).slice(0, units)

function matcherOf(secretOf: (index: number) => string) {
  const matcher = createMatcher()
  for (let index = 0; index < 500; index += 1)
    for (const spelling of spellingsOf(secretOf(index))) matcher.add(spelling)
  return matcher
}

test('usual texts with 500 secrets are compared less than once in ten units', (t) => {
  const token = () => `sk_live_${randomBytes(30).toString('base64url')}`
  const { find } = matcherOf(token)
  const prose = 'The quick brown fox jumps over the lazy dog at https://example.org/?a=b%2Fc, as a sketch. '
  const others = Array.from({ length: 2000 }, token).join(' ')
  for (const text of [filled(prose), randomBytes(75_000).toString('base64'), filled(others)]) {
    const effort = { left: units }
    t.deepEqual(find(text, effort), [])
    t.true(effort.left > 0.9 * units, String(effort.left))
  }
})

test('no text is compared more often than its effort, and then too much is hidden, never too little', (t) => {
  const secretOf = (index: number) => `${'a'.repeat(20 + index)}-the-end`
  const { find } = matcherOf(secretOf)
  const text = `plain words ${filled(`${'a'.repeat(600)} `)}${secretOf(499)} plain words`
  const effort = { left: 50 }
  const spans = find(text, effort)
  t.is(effort.left, 0)
  const [[from, to] = [0, 0], ...more] = spans
  t.deepEqual([from, more.length], ['plain words '.length, 0])
  t.true(to >= text.indexOf('-the-end') + '-the-end'.length)
})
