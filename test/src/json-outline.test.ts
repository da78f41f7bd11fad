import test from 'ava'
import { outlineOf as outlineOfBytes } from '../../src/json-outline.ts'

const outlineOf = (text: string) => outlineOfBytes(Buffer.from(text))

test('an outline has the kinds of the members and nothing of their contents', (t) => {
  const text = '{"object":{"a":1},"list":[1,2],"text":"abc","empty":"","number":1e400,"yes":true,"nothing":null}'
  const members = { object: {}, list: [], text: 'a', empty: '', number: Infinity, yes: true, nothing: null }
  t.deepEqual(outlineOf(text), { members })
})

test('what is no object has no outline, and the problem is named', (t) => {
  t.deepEqual(outlineOf('[1]'), { problem: 'The body must be a JSON object.' })
  t.deepEqual(outlineOf('"text"'), { problem: 'The body must be a JSON object.' })
  t.true('problem' in outlineOf('{'))
  t.deepEqual(outlineOfBytes(Buffer.from([0xff])), { problem: 'The body is not valid UTF-8.' })
  t.true('problem' in outlineOf(`{"a":${'['.repeat(101)}${']'.repeat(101)}}`))
})
