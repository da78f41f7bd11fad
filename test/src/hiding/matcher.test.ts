import { randomBytes } from 'node:crypto'
import test from 'ava'
import * as fc from 'fast-check'
import { createMatcher } from '../../../src/hiding/matcher.ts'
import { minLength, spellingsOf } from '../../../src/hiding/spellings.ts'

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

const letters = fc.constantFrom('a', 'b')
const spelling = fc.string({ unit: letters, minLength, maxLength: minLength + 9 })
/** Spellings that often begin alike and stand in each other, and a text with whole ones and parts of them. */
const cases = fc.array(spelling, { minLength: 1, maxLength: 5 }).chain((spellings) => {
  const part = fc.tuple(fc.constantFrom(...spellings), fc.nat(20)).map(([whole, length]) => whole.slice(0, length))
  const parts = fc.array(fc.oneof(part, part, fc.string({ unit: letters, maxLength: 6 })), { maxLength: 6 })
  return fc.record({ spellings: fc.constant(spellings), text: parts.map((all) => all.join('')) })
})

test('what is found, and what more text may complete, is what a search at each place says', (t) => {
  const property = fc.property(cases, ({ spellings, text }) => {
    const matcher = createMatcher()
    for (const one of spellings) matcher.add(one)
    const places = Array.from(text, (_, at) => at)
    const covered = new Set<number>()
    for (const at of places)
      for (const one of spellings.filter((each) => text.startsWith(each, at)))
        for (let unit = at; unit < at + one.length; unit += 1) covered.add(unit)
    const found = matcher.find(text, { left: 1000 })
    t.deepEqual(new Set(found.flatMap(([from, to]) => places.slice(from, to))), covered)
    t.true(found.every(([from], nth) => nth === 0 || from >= found[nth - 1]![1]))
    const open = places.find((at) => {
      const rest = text.length - at
      const beginning = text.slice(at, at + 2 ** Math.floor(Math.log2(rest)))
      return spellings.some((one) => one.length > rest && one.startsWith(beginning))
    })
    t.is(matcher.openAt(text), open ?? text.length)
  })
  fc.assert(property, { numRuns: 300 })
})
