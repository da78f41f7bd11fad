import test from 'ava'
import * as fc from 'fast-check'
import { decodeUtf8, joinPath, lossyPlaces, parseJson } from '../../src/json.ts'
import { isStorable } from '../../src/text.ts'

const exact = { maxDepth: 100, exactNumbers: true }
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('UTF-8 is decoded without its byte order mark', (t) => {
  t.is(decodeUtf8(Buffer.from('\uFEFF{"a":"é"}')), '{"a":"é"}')
  t.is(decodeUtf8(new Uint8Array()), '')
})

test('bytes that are not UTF-8 are nothing', (t) => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]])
    t.is(decodeUtf8(Uint8Array.from(bytes)), undefined)
})

test('any JSON value comes out as JSON.parse would give it', (t) => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, exactNumbers) => {
      const parsed = parseJson(text, { maxDepth: 1_000 })
      t.deepEqual(parsed, { ok: true, value: JSON.parse(text) })
      const strict = parseJson(text, { maxDepth: 1_000, exactNumbers })
      if (strict.ok) t.deepEqual(strict.value, JSON.parse(text))
    }),
  )
})

test('exactly the values deeper than the limit are refused', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 5 }), (value, maxDepth) => {
      t.is(parseJson(JSON.stringify(value), { maxDepth }).ok, depthOf(value) <= maxDepth)
    }),
  )
})

test('a hundred levels are the limit where none is given', (t) => {
  t.true(parseJson(nested(100)).ok)
  const problem = 'It must not be nested more than 100 levels deep.'
  t.deepEqual(parseJson(nested(101)), { ok: false, problem, path: '', isTooDeep: true })
})

test('brackets inside strings are no levels', (t) => {
  t.true(parseJson(JSON.stringify({ a: '[[[[{{{"\\' }), { maxDepth: 1 }).ok)
})

test('a million levels are refused without a stack overflow', (t) => {
  for (const opening of ['[', '{"a":', '[{"a":']) {
    t.like(parseJson(opening.repeat(1_000_000), exact), {
      ok: false,
      problem: 'It must not be nested more than 100 levels deep.',
    })
  }
})

for (const text of [
  '',
  ' ',
  '{',
  '{"a":1,}',
  "{'a':1}",
  '[1]]',
  'NaN',
  '01',
  '"\n"',
  '"open',
  '"open\\',
  '\uFEFF1',
  'undefined',
]) {
  test(`what is not JSON is said to be none, without repeating it: ${JSON.stringify(text)}`, (t) => {
    t.deepEqual(parseJson(text, exact), { ok: false, problem: 'It is not valid JSON.', path: '' })
  })
}

const lossy: [text: string, path: string][] = [
  ['9007199254740993', ''],
  ['{"a":{"b":[0,12345678901234567890]}}', 'a.b.1'],
  ['[-9007199254740992]', '0'],
  ['{"big":1e400}', 'big'],
  ['{"big":-1e400}', 'big'],
  ['{"a":"x\\u0000"}', 'a'],
  ['["\\ud800"]', '0'],
  ['["\\udc00\\ud800"]', '0'],
  ['{"a":{"__proto__":{"x":1}}}', 'a.__proto__'],
]
for (const [text, path] of lossy) {
  test(`a value that would not survive is refused only where it must be exact: ${text}`, (t) => {
    const strict = parseJson(text, exact)
    t.like(strict, { ok: false, path })
    t.true(!strict.ok && strict.problem.startsWith(path === '' ? 'It is' : `"${path}" `), JSON.stringify(strict))
    t.true(parseJson(text, { maxDepth: 100 }).ok)
  })
}

test('a member name that Postgres cannot keep is refused, and is harmless in the message', (t) => {
  const parsed = parseJson('{"a\\u0000\\ud800":1}', exact)
  t.true(!parsed.ok && isStorable(parsed.problem) && isStorable(parsed.path))
})

test('every integer that JavaScript keeps exactly is accepted, and none beyond', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
      const isSafe = integer <= BigInt(Number.MAX_SAFE_INTEGER) && integer >= -BigInt(Number.MAX_SAFE_INTEGER)
      t.is(parseJson(`{"n":${integer}}`, exact).ok, isSafe)
    }),
  )
})

/** Any code point, and now and then what cannot be kept. fast-check's own `binary` lists a million of them first. */
const anyUnit = fc.oneof(
  { weight: 40, arbitrary: fc.nat(0x10_ff_ff).map((code) => String.fromCodePoint(code)) },
  { weight: 1, arbitrary: fc.constantFrom('\0', '\ud800', '\udfff') },
)

test('what exact parsing accepts means the same after it was written again', (t) => {
  fc.assert(
    fc.property(fc.json({ stringUnit: anyUnit }), (text) => {
      const parsed = parseJson(text, exact)
      if (!parsed.ok) return
      t.deepEqual(JSON.parse(JSON.stringify(parsed.value)), parsed.value)
      t.deepEqual([...lossyPlaces(parsed.value)], [])
    }),
  )
})

test('names like constructor are ordinary members', (t) => {
  t.true(parseJson('{"constructor":1,"prototype":{"toString":2},"hasOwnProperty":3}', exact).ok)
})

test('a long member name is cut in the path', (t) => {
  t.is(joinPath('a', 'x'.repeat(500)), `a.${'x'.repeat(100)}…`)
  t.is(joinPath('', 0), '0')
})
