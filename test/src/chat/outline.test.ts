import test from 'ava'
import { outlineOfChat } from '../../../src/chat/outline.ts'

const outlineOf = (body: unknown) => {
  const outline = outlineOfChat(JSON.stringify(body))
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

const unread: [object, object | undefined][] = [
  [
    {
      parts: [
        { type: 'text', text: 'Hi' },
        { type: 'file', url: 'data:,' },
      ],
    },
    { path: 'parts.1', kind: 'file' },
  ],
  [{ parts: [{ type: 'data-place' }] }, { path: 'parts.0', kind: 'data-place' }],
  [{ parts: [{ url: 'data:,' }] }, { path: 'parts.0', kind: '' }],
  [{ content: [{ type: 'text', text: 'Hi' }, { type: 'image_url' }] }, { path: 'content.1', kind: 'image_url' }],
  [
    { content: 'Hi', experimental_attachments: [{}] },
    { path: 'experimental_attachments', kind: 'experimental_attachments' },
  ],
  [
    { content: 'Hi', image_url: 'https://a.example' },
    { path: 'image_url', kind: 'image_url' },
  ],
  [{ content: 'Hi', attachments: [] }, undefined],
  [{ content: [{ type: 'text', text: 'Hi' }] }, undefined],
]

for (const [message, found] of unread) {
  test(`what is no text in the last message of the user is named: ${JSON.stringify(message)}`, (t) => {
    const file = { role: 'user', parts: [{ type: 'file' }] }
    const messages = [...Array.from({ length: 1200 }, () => file), { role: 'user', ...message }, { role: 'assistant' }]
    const kept = outlineOf({ messages })['messages'] as { unread?: { path: string } }[]
    const expected = found && { ...found, path: `messages.1200.${(found as { path: string }).path}` }
    t.deepEqual(kept.at(-2)?.unread, expected)
    t.deepEqual(kept.filter(({ unread: other }) => other).length, found ? 1 : 0)
  })
}

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
