import test from 'ava'
import * as fc from 'fast-check'
import { beginningOf, firstBytes, isStorable, shortened, storable } from '../../src/text.ts'

const units = fc.string({ unit: 'binary', maxLength: 20 })
const most = fc.nat(24)

test('a text is made storable by U+FFFD alone', (t) => {
  t.is(storable('a\0b\ud83dc'), 'a\ufffdb\ufffdc')
  fc.assert(fc.property(units, (text) => isStorable(storable(text)) && storable(text).length === text.length))
  t.false(isStorable('\0') || isStorable('\udc00'))
})

test('a beginning that ends within a pair of surrogates is storable, and a mark says that something is missing', (t) => {
  t.is(beginningOf('ab😀', 3), 'ab\ufffd')
  t.deepEqual([shortened('abc', 3), shortened('abcd', 3)], ['abc', 'abc…'])
})

test('the first bytes are the longest beginning of whole characters that fits', (t) => {
  t.is(firstBytes('aé😀', 6).toString(), 'aé')
  t.notThrows(() =>
    fc.assert(
      fc.property(units, most, (text, limit) => {
        const [first, whole] = [firstBytes(text, limit), Buffer.from(text)]
        const next = new TextDecoder().decode(whole.subarray(first.length)).codePointAt(0)
        const fits = next === undefined ? 0 : Buffer.byteLength(String.fromCodePoint(next))
        return whole.indexOf(first) === 0 && first.length <= limit && (fits === 0 || first.length + fits > limit)
      }),
    ),
  )
})
