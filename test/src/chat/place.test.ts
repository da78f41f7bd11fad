import test from 'ava'
import { messageToAnswer, parentOf, type Tree } from '../../../src/chat/place.ts'

const message = (number: number, more: Partial<Tree['messages'][number]> = {}) => ({
  id: `m${number}`,
  number,
  parentId: null,
  clientId: null,
  ...more,
})
const answer = (number: number, messageId: string) => ({ id: `a${number}`, number, messageId })

test('of messages with the same id of a client, the last one counts', (t) => {
  const tree = { messages: [1, 3].map((number) => message(number, { clientId: 'mine' })), answers: [answer(2, 'm1')] }
  t.is(parentOf(tree, { before: ['mine'] }), 'm3')
  t.is(messageToAnswer(tree, { before: [], messageId: 'mine' }), 'm3')
})

test('a client that names a great many ids gets its answer as soon as others', (t) => {
  const numbers = Array.from({ length: 1000 }, (_, index) => 2 * index + 1)
  const tree = {
    messages: numbers.map((number) => message(number)),
    answers: numbers.map((number) => answer(number + 1, `m${number}`)),
  }
  const before = Array.from({ length: 500_000 }, (_, index) => `none-${index}`)
  const began = performance.now()
  t.is(parentOf(tree, { before }), 'a2000')
  t.is(messageToAnswer(tree, { before }), 'm1999')
  // To compare each with each would take half a minute.
  t.true(performance.now() - began < 3000)
})
