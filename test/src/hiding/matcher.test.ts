import { randomBytes } from 'node:crypto'
import test from 'ava'
import { formsOf } from '../../../src/hiding/encodings.ts'
import { hideSecrets } from '../../../src/hiding/hiding.ts'
import { createMatcher, effortFor } from '../../../src/hiding/matcher.ts'
import { unitsOf } from '../../../src/hiding/units.ts'

const mebibyte = 1024 * 1024
const filled = (text: string) => text.repeat(Math.ceil(mebibyte / text.length)).slice(0, mebibyte)
const many = (count: number, secretOf: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => secretOf(i))

/** Secrets that begin alike, end alike, or whose windows have the same end; and texts that nearly hold them. */
const alike = {
  'begin alike': many(50, (index) => 'a'.repeat(3000 + index)),
  'end alike': many(50, (index) => `${index + 10}${'a'.repeat(40)}`),
  'are in hex': many(50, (index) => `${'0123456789abcdef'.repeat(10)}${index}`),
}
const texts = ['a', `${'a'.repeat(15)}b`, `${'a'.repeat(2999)}b`, 'A', '10aaaaaaaaaaaa', '0123456789abcdef']

for (const [how, secrets] of Object.entries(alike)) {
  test(`a text takes no more than its effort when secrets ${how}`, (t) => {
    const forms = formsOf(secrets)
    const longest = Math.max(...forms.map(({ text }) => text.length))
    const { find, findOpen } = createMatcher(forms)
    // The last comparison is finished, and the last bisection.
    const looks = { find, findOpen }
    const excess = { find: longest + 1, findOpen: 2 * Math.log2(forms.length) * longest }
    for (const text of texts) {
      const units = unitsOf(filled(text))
      for (const name of ['find', 'findOpen'] as const) {
        const effort = effortFor(units)
        looks[name](units, effort)
        t.true(effort.left >= -excess[name], `${name} in ${text.slice(0, 20)}: ${effort.left}`)
      }
    }
  })
}

test('usual texts with many secrets take a tenth of their effort', (t) => {
  const token = () => `sk_live_${randomBytes(24).toString('base64url')}`
  const { find } = createMatcher(formsOf(many(200, token)))
  const prose = filled('The quick brown fox jumps over the lazy dog at https://example.org/?a=b%2Fc, as a sketch. ')
  // Of a single token, repeated, chance may give the end to a secret, too.
  const others = filled(many(1000, token).join(' '))
  for (const text of [prose, randomBytes((mebibyte * 3) / 4).toString('base64'), others]) {
    const units = unitsOf(text)
    const effort = effortFor(units)
    t.deepEqual(find(units, effort), [])
    t.true(effort.left > effortFor(units).left * 0.9)
  }
})

test('when a text has taken its effort, secrets are hidden whole, and with them what begins like one', (t) => {
  const secrets = many(50, (index) => `${'a'.repeat(20)}${index}-the-end-of-a-secret`)
  const noise = `${'a'.repeat(19)} `.repeat(50_000)
  const hidden = hideSecrets(secrets).text(`plain words ${noise}${secrets[7]} ${'and more '.repeat(50)}plain words`)
  t.false(hidden.includes('the-end'))
  t.regex(hidden, /\[token\].{0,500}$/)
  t.true(hidden.length < noise.length / 10, 'what begins like a secret is taken for one')
  t.true(hidden.startsWith('plain words '))
  t.true(hidden.endsWith('plain words'))
})

test('of a long secret the first 512 units are enough, and JSON stays JSON', (t) => {
  const secret = randomBytes(3000).toString('base64url')
  const hiding = hideSecrets([secret])
  t.is(hiding.text(`It is ${secret}, and no other.`), 'It is [token], and no other.')
  const given = { cut: `${secret.slice(0, 600)}…`, other: `${secret.slice(0, 500)}!`, whole: secret, plain: 'words' }
  const hidden = { cut: '[token]', other: `${secret.slice(0, 500)}!`, whole: '[token]', plain: 'words' }
  t.deepEqual(JSON.parse(hiding.json(JSON.stringify(given))), hidden)
  t.deepEqual(hiding.value(given), hidden)
})

test('many short texts take no more than one that is as long as all of them', (t) => {
  const [short, long] = [effortFor(unitsOf('a'.repeat(16))), effortFor(unitsOf('a'.repeat(16 * 1000)))]
  t.true(short.left * 1000 < long.left * 10)
})
