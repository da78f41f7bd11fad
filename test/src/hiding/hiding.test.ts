// @promise hiding
import test from 'ava'
import * as fc from 'fast-check'
import { hideSecrets, type Hiding } from '../../../src/hiding/hiding.ts'
import { hidingOf } from '../../../src/hiding/hiding-cache.ts'
import { givenUpSpellings, keptSpellings } from './spellings.ts'

/** With a sign of every kind that some programs escape. */
const spelledSecret = 'sk_A/b+c=d&e"f\\g<h>i?j~k 5>?xY%z*q1:2;3@4'
const token = 'sk_live_5>?xY1234567890'
const hexOf = (text: string) => Buffer.from(text).toString('hex')

/** The words as they are shown when the text is cut into pieces of these lengths, again and again. */
function inPieces(hiding: Hiding, text: string, lengths: number[]): string {
  const words = hiding.words()
  let [shown, at] = ['', 0]
  for (let turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    shown += words.add(text.slice(at, at + length))
    at += length
  }
  return shown + words.end()
}

for (const [how, written] of Object.entries(keptSpellings(spelledSecret))) {
  test(`a secret is found ${how}, whole and in pieces, and what stands around it stays`, (t) => {
    const text = `The token ${written} and |${written}|, no more.`
    const hiding = hideSecrets(['12345678', spelledSecret])
    const hidden = hiding.text(text)
    t.regex(hidden, /^The token .{0,4}\[token\].{0,8} and \|.{0,4}\[token\].{0,8}\|, no more\.$/)
    for (const length of [1, 2, 3, 5, 7, 11, 1000]) t.is(inPieces(hiding, text, [length]), hidden)
  })
}

test('disguises that no program writes by itself are not found, as the decision says', (t) => {
  const { text } = hideSecrets([spelledSecret])
  for (const [how, written] of Object.entries(givenUpSpellings(spelledSecret)))
    t.is(text(`|${written}|`), `|${written}|`, how)
})

test('a secret of any signs is found where it stands as it is, in JSON, and in an address', (t) => {
  const signs = fc.string({
    minLength: 8,
    maxLength: 30,
    unit: fc.constantFrom(...Array.from(' !"%&\'/\\+<=>?aZ09~é€😀\n')),
  })
  fc.assert(
    fc.property(signs, (known) => {
      const { text, json } = hideSecrets([known])
      t.is(text(`<${known}>`), '<[token]>')
      t.is(JSON.parse(json(JSON.stringify({ a: known }))).a, '[token]')
      t.is(text(`_${JSON.stringify(known).slice(1, -1)}_`), '_[token]_')
      t.is(text(`<${encodeURIComponent(known)}>`), '<[token]>')
    }),
    { numRuns: 500 },
  )
})

test('a secret is found in base64 with anything before and after it', (t) => {
  const { text } = hideSecrets([token])
  for (const before of ['', 'a', 'ab', 'user:', 'Bearer '])
    for (const after of ['', '1', '12', '123'])
      for (const encoding of ['base64', 'base64url'] as const) {
        const cleaned = text(Buffer.from(before + token + after).toString(encoding))
        const [left = '', right = ''] = cleaned.split('[token]')
        t.true(cleaned.includes('[token]'), `${before}…${after} in ${encoding}`)
        // One character of it at either end at most.
        const known = Buffer.from(left, encoding).toString('latin1') + Buffer.from(right, encoding).toString('latin1')
        t.notRegex(known, /live|1234/)
      }
})

for (const [what, secrets, text, hidden] of [
  ['secrets that overlap, of which nothing is left', ['abcdefgh12', 'gh12345678'], '<abcdefgh12345678>', '<[token]>'],
  ['a secret that begins like another one', ['abcdefgh12', 'abcdefgh12345678'], '<abcdefgh12345678>', '<[token]>'],
  ['a secret that overlaps with itself', ['abababababab'], '<ababababababab>', '<[token]>'],
  ['a secret twice', ['abcdefgh12'], '<abcdefgh12abcdefgh12>', '<[token][token]>'],
  ['texts that are too short to be secrets', ['a', '', 'message'], 'a message', 'a message'],
  ['a secret of eight characters', ['a messag'], 'a message', '[token]e'],
  ['a text that is shorter than the secret', ['a message'], 'a messag', 'a messag'],
  ['halves of characters', ['\ud800'.repeat(8)], 'half \ud800', 'half \ud800'],
  ['the beginning of a long secret', ['ab'.repeat(500)], 'ab'.repeat(499), 'ab'.repeat(499)],
] as const) {
  test(`${what}: the text is as it should be, whole and in pieces`, (t) => {
    const hiding = hideSecrets(secrets)
    t.is(hiding.text(text), hidden)
    for (const length of [1, 3, 1000]) t.is(inPieces(hiding, text, [length]), hidden)
  })
}

test('JSON stays the same JSON without the secret: numbers, spaces and other strings are as they were', (t) => {
  const text =
    '{ "n": 12345678901234567890.10, "12345678": [12345678, "x 12345678 y", "\\u0031234567\\u0038"], "\\u00e9\\n": "" }'
  const clean = '{ "n": 12345678901234567890.10, "[token]": [12345678, "x [token] y", "[token]"], "\\u00e9\\n": "" }'
  for (const [secrets, given, hidden] of [
    [['12345678'], text, clean],
    [['another one'], text, text],
    [[], text, text],
    [[spelledSecret], JSON.stringify({ [spelledSecret]: `"${spelledSecret}"` }), '{"[token]":"\\"[token]\\""}'],
    [['1234", "5678'], '{"a":["1234", "5678"]}', '{"a":["1234", "5678"]}'],
    ...['"', '{"a":"12345678', '"\\', '"\\x12345678"', '\\"'.repeat(1000)].map(
      (broken) => [['another one'], broken, broken] as const,
    ),
  ] as const)
    t.is(hideSecrets(secrets).json(given), hidden)
})

test('JSON stays JSON whatever backslashes stand in it', (t) => {
  const { json } = hideSecrets([token])
  for (let count = 0; count < 40; count += 1) {
    const slashes = '\\'.repeat(count)
    const read = JSON.parse(json(JSON.stringify([slashes, token, `${slashes}"${token}`, token + slashes]))) as string[]
    t.deepEqual(read, [slashes, '[token]', `${slashes}"[token]`, `[token]${slashes}`])
  }
})

test('a value of JSON loses the secret in texts and in names of members', (t) => {
  const value = { [token]: [1, null, true, `a ${token}`], plain: { deep: [hexOf(token)] } }
  t.deepEqual(hideSecrets([token]).value(value), {
    '[token]': [1, null, true, 'a [token]'],
    plain: { deep: ['[token]'] },
  } as never)
})

test('words that come in pieces are the words of the whole, whatever the pieces', (t) => {
  const same = 'a'.repeat(600)
  const similar = [token, 'abcdefgh12', 'gh12345678', 'aaaaaaaaab', `${same}b`, `${same}c${same}`]
  const begun = ['a', 'sk_', 'abcdef', 'gh12', ' and ', token.slice(0, 10), same, `${same}c`]
  const hiding = hideSecrets(similar)
  const parts = fc.constantFrom(...similar, ...begun, hexOf(token), encodeURIComponent(token))
  const texts = fc.array(fc.oneof(parts, fc.string({ maxLength: 5 })), { maxLength: 8 }).map((some) => some.join(''))
  const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 })
  fc.assert(
    fc.property(texts, lengths, (text, cut) => t.is(inPieces(hiding, text, cut), hiding.text(text))),
    { numRuns: 1000 },
  )
})

test('words are shown as soon as they begin no secret', (t) => {
  const words = hideSecrets([token]).words()
  t.is(words.add('Hello, '), 'Hello, ')
  t.is(words.add('my sk_'), 'my ')
  t.is(words.add('ill it'), 'sk_ill it')
  t.is(words.add(token.slice(0, 9)), '')
  t.is(words.add(`${token.slice(9)} ok`), '[token] ok')
  t.is(words.add('sk_li'), '')
  t.is(words.end(), 'sk_li')
})

test('what finds the same secrets is made once, and finds each of them', async (t) => {
  const secrets = Array.from({ length: 500 }, (_, index) => `${'a'.repeat(500)}${index}${'b'.repeat(200)}`)
  const hiding = await hidingOf(secrets)
  t.is(hiding, await hidingOf([...secrets]))
  for (const secret of secrets) t.is(hiding.text(`It is ${secret}, and no other.`), 'It is [token], and no other.')
})
