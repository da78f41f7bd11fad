import test from 'ava'
import { outlineOfChat } from '../../../src/chat/outline.ts'

const outlineOf = (body: unknown) => {
  const outline = outlineOfChat(Buffer.from(JSON.stringify(body)))
  if ('problem' in outline) throw new Error(outline.problem)
  return outline.members
}

test('of the messages only their places are kept, and the words of the last one of the user', (t) => {
  const messages = [
    { id: 'a', role: 'user', parts: [{ type: 'text', text: 'earlier' }] },
    { id: 'b', role: 'assistant', parts: [{ type: 'tool', output: { a: [1] } }] },
    { id: 'c', role: 'user', parts: [{ type: 'text', text: 'one' }, 1, { type: 'text', text: 'two' }], content: 'old' },
    { id: 7, role: 'system' },
  ]
  t.deepEqual(outlineOf({ messages, trigger: 'submit-message', messageId: null, id: 'chat' }), {
    messages: [
      { id: 'a', role: 'user' },
      { id: 'b', role: null },
      { id: 'c', role: 'user', path: 'messages.2', parts: [{ type: 'text', text: 'one\ntwo' }], content: 'old' },
      { id: null, role: null },
    ],
    trigger: 'submit-message',
    messageId: null,
    id: 'chat',
  })
})

test('of a long history the last thousand messages are kept', (t) => {
  const messages = Array.from({ length: 1500 }, (_, index) => ({ id: `m${index}`, role: 'assistant' }))
  const kept = outlineOf({ messages })['messages'] as { id: string }[]
  t.deepEqual([kept.length, kept[0]?.id, kept.at(-1)?.id], [1000, 'm500', 'm1499'])
})

const text = { type: 'text', text: 'Hi' }
const unread: [message: object, path?: string, kind?: string][] = [
  [{ parts: [text, { type: 'file', url: 'data:,' }] }, 'parts.1', 'file'],
  [{ parts: [{ type: 'data-place' }] }, 'parts.0', 'data-place'],
  [{ parts: [{ url: 'data:,' }] }, 'parts.0', ''],
  [{ content: [text, { type: 'image_url' }] }, 'content.1', 'image_url'],
  [{ content: 'Hi', experimental_attachments: [{}] }, 'experimental_attachments', 'experimental_attachments'],
  [{ content: 'Hi', image_url: 'https://a.example' }, 'image_url', 'image_url'],
  [{ content: 'Hi', attachments: [] }],
  [{ content: [text] }],
]

test('what is no text in the last message of the user is named', (t) => {
  const file = { role: 'user', parts: [{ type: 'file' }] }
  const earlier = Array.from({ length: 1200 }, () => file)
  for (const [message, path, kind] of unread) {
    const messages = [...earlier, { role: 'user', ...message }, { role: 'assistant' }]
    const kept = outlineOf({ messages })['messages'] as { unread?: object }[]
    t.deepEqual(kept.at(-2)?.unread, path === undefined ? undefined : { path: `messages.1200.${path}`, kind }, path)
    t.is(kept.filter(({ unread: other }) => other).length, path === undefined ? 0 : 1, path)
  }
})

test('what is no message keeps its kind, and what is not read its kind alone', (t) => {
  const messages = [1, '', null, [1], 'abc']
  t.deepEqual(outlineOf({ messages, more: { a: 1 }, list: [1], said: 'abc' }), {
    messages: [1, '', null, [], 'a'],
    more: {},
    list: [],
    said: 'a',
  })
})

test('of very many members those that are read are kept, wherever they stand', (t) => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, 0]))
  const outline = outlineOf({ ...many, text: 'Hello' })
  t.is(outline['text'], 'Hello')
  t.true(Object.keys(outline).length < 200)
})
