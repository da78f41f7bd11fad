import test from 'ava'
import { valueOf } from '../../../src/chat/parts.ts'

test('a part of a call has the value of its text, or the text itself if that is no JSON or too deep to be written', (t) => {
  const deep = `{"q":${'['.repeat(5000)}${']'.repeat(5000)}}`
  t.deepEqual(valueOf('{"q":[1]}'), { q: [1] })
  t.is(valueOf('[x'), '[x')
  t.is(valueOf(deep), deep)
})
