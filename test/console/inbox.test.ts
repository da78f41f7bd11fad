import test from 'ava'
import {
  afterDecision,
  commandOf,
  mayHaveMore,
  neighbor,
  pageSize,
  readInboxSearch,
} from '../../console/screens/approvals/inbox.ts'

const ids = ['a', 'b', 'c']

for (const [open, step, found] of [
  ['a', 1, 'b'],
  ['c', 1, 'c'],
  ['b', -1, 'a'],
  ['a', -1, 'a'],
  ['gone', 1, 'a'],
  [undefined, 1, 'a'],
] as const)
  test(`${step === 1 ? 'after' : 'before'} ${open ?? 'nothing'} comes ${found}`, (t) =>
    t.is(neighbor(ids, open, step), found))

test('an empty inbox has nothing to open', (t) => {
  t.is(neighbor([], undefined, 1), undefined)
  t.is(afterDecision([], 'a'), undefined)
  t.is(afterDecision(['a'], 'a'), undefined)
})

for (const [decided, next] of [
  ['a', 'b'],
  ['b', 'c'],
  ['c', 'b'],
  ['gone', 'a'],
] as const)
  test(`after the decision on ${decided}, ${next} opens`, (t) => t.is(afterDecision(ids, decided), next))

const bare = { ctrlKey: false, metaKey: false, altKey: false, repeat: false }

for (const [key, command] of [
  ['j', 'next'],
  ['k', 'previous'],
  ['a', 'approve'],
  ['r', 'refuse'],
  ['A', undefined],
  ['x', undefined],
  ['toString', undefined],
] as const)
  test(`the key ${key} means ${command ?? 'nothing'}`, (t) => t.is(commandOf({ ...bare, key }, false), command))

test('keys that are typed, held or pressed with a modifier decide nothing', (t) => {
  t.is(commandOf({ ...bare, key: 'a' }, true), undefined)
  t.is(commandOf({ ...bare, key: 'r', ctrlKey: true }, false), undefined)
  t.is(commandOf({ ...bare, key: 'a', metaKey: true }, false), undefined)
  t.is(commandOf({ ...bare, key: 'a', altKey: true }, false), undefined)
  t.is(commandOf({ ...bare, key: 'a', repeat: true }, false), undefined)
  t.is(commandOf({ ...bare, key: 'j', repeat: true }, false), 'next')
})

test('an address that makes no sense shows the inbox', (t) => {
  t.deepEqual(readInboxSearch({ approval: 7, show: 'all' }), { approval: undefined, show: undefined })
  t.deepEqual(readInboxSearch({ approval: 'a'.repeat(37) }), { approval: undefined, show: undefined })
  t.deepEqual(readInboxSearch({ approval: 'a', show: 'decided' }), { approval: 'a', show: 'decided' })
})

test('a page may have a successor if it is full or large', (t) => {
  const items = (count: number, text = '') => Array.from({ length: count }, () => ({ arguments: { text } }))
  t.false(mayHaveMore(items(0)))
  t.false(mayHaveMore(items(pageSize - 1)))
  t.true(mayHaveMore(items(pageSize)))
  t.true(mayHaveMore(items(2, 'a'.repeat(50_000))))
})
