import test from 'ava'
import { tryRows, type Row } from './answered.ts'
import { call, calling, end, streamOf } from './chat-wire.ts'

const rest = (args: string, more: object) => ({ ...more, function: { arguments: args } })

/** Pieces of calls, each an event. */
const rows: [name: string, pieces: object[], made: string[]][] = [
  [
    'pieces that take turns',
    [
      call('{"id"', { index: 0, id: 'a' }),
      call('{"id"', { index: 1, id: 'b' }),
      rest(':"7"}', { index: 0 }),
      rest(':"8"}', { index: 1 }),
    ],
    ['7', '8'],
  ],
  ['an index that begins at 1', [call('{"id":', { index: 1 }), rest('"7"}', { index: 1 })], ['7']],
  ['an index of -1', [call('', { index: -1 }), rest('{"id":"7"}', { index: -1 })], ['7']],
  [
    'an index as text',
    [call('{"id":', { index: '0' }), rest('"7"}', { index: '0' }), call('{"id":"8"}', { index: '1', id: 'd' })],
    ['7', '8'],
  ],
  [
    'an index that is null',
    [call('{"id":"7"}', { index: null }), call('{"id":"8"}', { index: null, id: 'd' })],
    ['7', '8'],
  ],
  ['no index, one call', [call(''), rest('{"id":', {}), rest('"7"}', {})], ['7']],
  [
    'no index, two calls',
    [call('{"id":', { id: 'a' }), rest('"7"}', {}), call('', { id: 'b' }), rest('{"id":"8"}', { id: 'b' })],
    ['7', '8'],
  ],
  ['one index, two ids', [call('{"id":"7"}', { index: 0 }), call('{"id":"8"}', { index: 0, id: 'd' })], ['7', '8']],
  [
    'one index, no ids',
    [call('{"id":"7"}', { index: 0, id: undefined }), call('{"id":"8"}', { index: 0, id: undefined })],
    ['7', '8'],
  ],
  ['one id, two indexes', [call('{"id":"7"}', { index: 0 }), call('{"id":"8"}', { index: 1 })], ['7', '8']],
  ['a name with each piece', [call('{"id":', { index: 0 }), call('"7"}', { index: 0 })], ['7']],
  ['a new id with each piece', [call('{"id":', { index: 0, id: 'a' }), rest('"7"}', { index: 0, id: 'b' })], ['7']],
  [
    'empty ids and names later',
    [
      call('', { index: 0 }),
      { index: 0, id: '', function: { name: null, arguments: '{"id":' } },
      { index: 0, id: '', function: { name: '', arguments: '"7"}' } },
    ],
    ['7'],
  ],
  ['{} before the arguments', [call({}, { index: 0 }), rest('{"id":"7"}', { index: 0 })], ['7']],
  [
    'white space after the arguments',
    [call('\n {"id":"7"}', { index: 0 }), rest(' \n', { index: 0 }), rest('\t', { index: 0 })],
    ['7'],
  ],
]

test('each piece of a stream goes to its own call, however servers number and name them', (t) =>
  tryRows(
    t,
    rows.map(([name, pieces, ids]): Row => {
      const stream = streamOf(...pieces.map((one) => calling(one)), ...end('tool_calls'))
      const made = ids.map((id) => `find \\s*{"id":"${id}"}\\s*`).join(', ')
      return [name, { stream }, new RegExp(`^${made}$`)]
    }),
  ))

test('calls that come in one event without numbers are two', (t) => {
  const together = calling(call('{"id":"7"}', { id: 'a' }), call('{"id":"8"}', { id: 'b' }))
  return tryRows(t, [
    ['together', { stream: streamOf(together, ...end('tool_calls')) }, 'find {"id":"7"}, find {"id":"8"}'],
  ])
})
