import test from 'ava'
import { array, assert, constantFrom, json, oneof, property, string, tuple } from 'fast-check'
import { memberText } from '../../src/json-member.ts'

/** What a parser finds. */
const parsed = (text: string, name: string): unknown => (JSON.parse(text) as Record<string, unknown>)[name]

test('a member is found wherever it stands and however its name is written, and the last one counts', (t) => {
  const texts = [
    '{"action":"a"}',
    ' {\n"x" : [ {"action":1}, "action", ":" ], "action" :\t"b, \\" } ]" ,"y":{"action":2}}',
    '{"action":1,"action":{"action":[2,"}"]},"z":"action"}',
    '{"\\u0061c\\u0074\\u0069\\u006F\\u006e":"c"}',
    '{"action":"a","\\u0061ction":null}',
    '{"a":"action","b":3,"action":-1.5e3 }',
    '{"action\\u0000":1,"Action":2,"action":"d","actions":3,"\\\\u0061ction":4}',
  ]
  for (const text of texts) t.deepEqual(JSON.parse(memberText(text, 'action') ?? ''), parsed(text, 'action'), text)
})

test('a member that the object itself does not have is not found', (t) => {
  const texts = [
    '{}',
    '{"a":{"action":1}}',
    '{"a":"action"}',
    '["action",1]',
    '"action"',
    '{"\\\\action":1}',
    '{"a":[":"]}',
  ]
  for (const text of texts) t.is(memberText(text, 'action'), undefined, text)
})

test('of any JSON it finds what a parser finds', (t) => {
  const value = json({ maxDepth: 3 })
  const name = oneof(constantFrom('action', 'a', ':', '}', '"', ','), string())
  const members = array(tuple(name, value), { maxLength: 6 })
  assert(
    property(members, (given) => {
      const text = `{${given.map(([key, written]) => `${JSON.stringify(key)} : ${written}`).join(' ,\n')}}`
      const found = memberText(text, 'action')
      const expected = given.findLast(([key]) => key === 'action')?.[1]
      t.is(found, expected?.trim())
    }),
  )
})

test('the text of a member keeps numbers, order and repetitions, and is found under an escaped name', (t) => {
  const value = '{ "n" : 12345678901234567890, "b":1.0, "a":[1e400,{}], "a":"}\\",:{" }'
  t.is(memberText(`\ufeff {"other":{"input":1},"\\u0069nput": ${value} , "z":"input"}`, 'input'), value)
  t.is(memberText('{"input":1,"input":"two"}', 'input'), '"two"')
  t.is(memberText('{}', 'input'), undefined)
})
