import test from 'ava'
import { differing, notedFields } from '../../../src/audit/noted-fields.ts'

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const names = Array.from({ length: 16 }, (_, index) => `field${index}`)
const thingOf = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))

const large: [string, unknown][] = [
  ['a text', 'x'.repeat(100_000)],
  ['a text of wide characters', '😀'.repeat(10_000)],
  ['a text that JSON writes out', '\u0001'.repeat(10_000)],
  ['a list', Array.from({ length: 1000 }, (_, index) => index)],
  ['an object', { description: 'x'.repeat(2000) }],
  ['a text of just the length that is kept', 'x'.repeat(98)],
]
test('sixteen fields, however large, take two kilobytes at most', (t) => {
  for (const [what, value] of large) t.true(bytesOf(notedFields(thingOf(value), names)) < 2500, what)
})

test('a long value is named by its length and a hash, and a change of it is a difference', (t) => {
  const [before, after] = ['a', 'b'].map((end) =>
    notedFields({ name: 'x'.repeat(500) + end, list: [1] }, ['name', 'list']),
  )
  t.regex(String(after?.['name']), /^x{40}… \(501 characters, SHA-256 [0-9a-f]{16}…\)$/)
  t.deepEqual(differing(before, after), { before: { name: before?.['name'] }, after: { name: after?.['name'] } })
})

test('short values are kept as they are, and prompts and queries of addresses never', (t) => {
  const thing = { name: 'An agent', sites: [{ id: 1 }], pausedAt: null, systemPrompt: 'secret', other: 1 }
  const callbackUrl = 'https://example.com/hook?key=secret'
  const fields = notedFields({ ...thing, callbackUrl }, ['name', 'sites', 'pausedAt', 'systemPrompt', 'callbackUrl'])
  t.like(fields, { name: 'An agent', sites: [{ id: 1 }], pausedAt: null, callbackUrl: 'https://example.com/hook?…' })
  t.false(JSON.stringify(fields).includes('secret'))
  t.false('other' in fields)
})
