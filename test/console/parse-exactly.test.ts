import test from 'ava'
import { parseExactly } from '../../console/api/exact-json.ts'

for (const text of [
  '12345678901234567890',
  '0.1000000000000000055511151231257827',
  '1e400',
  '-9007199254740993',
  '{"id":12345678901234567890,"list":[1,2.5,-3]}',
])
  test(`${text} is written as it was read`, (t) => t.is(JSON.stringify(parseExactly(text)), text))

test('usual numbers are numbers, however they are written', (t) => {
  t.deepEqual(
    parseExactly('[1, 1.0, 1e2, -0.5, 0, 1.50, 9007199254740991]'),
    [1, 1, 100, -0.5, 0, 1.5, 9007199254740991],
  )
})

test('texts that look like numbers stay texts', (t) => {
  t.deepEqual(parseExactly('{"a":"12345678901234567890"}'), { a: '12345678901234567890' })
})
