import test from 'ava'
import { shownRows, withRow } from '../../console/lists/place-in-list.ts'
import { actionOfKey } from '../../console/lists/row-keys.ts'
import { all, extended, isEmpty, none, toggled, type Selection } from '../../console/lists/selection.ts'

const order = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const idsOf = ({ ids }: Selection) => [...ids].toSorted().join('')
const pick = (...ids: string[]) => ids.reduce(toggled, none)

for (const [title, selection, expected] of [
  ['one row', pick('b'), 'b'],
  ['a row twice', pick('b', 'b'), ''],
  ['a range downwards', extended(pick('b'), order, 'd'), 'bcd'],
  ['a range upwards', extended(pick('d'), order, 'b'), 'bcd'],
  ['a range without a row before', extended(none, order, 'c'), 'c'],
  ['a range from the row with the focus', extended(none, order, 'c', 'b'), 'bc'],
  ['a second range from the same row', extended(extended(pick('c'), order, 'e'), order, 'a'), 'abcde'],
  ['a range besides another row', extended(pick('a', 'c'), order, 'd'), 'acd'],
  ['a range to a row that is gone', extended(pick('a'), order, 'x'), 'a'],
  ['a row after all were chosen', toggled(all, 'c'), 'c'],
] as const)
  test(`choosing ${title} chooses “${expected}”`, (t) => {
    t.is(idsOf(selection), expected)
    t.is(isEmpty(selection), expected === '')
    t.false(selection.isAll)
  })

test('a selection of all is not empty', (t) => t.false(isEmpty(all)))

const plain = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false }
for (const [key, expected, held] of [
  ['j', { kind: 'move', to: 6, extends: false }],
  ['ArrowDown', { kind: 'move', to: 6, extends: true }, { shiftKey: true }],
  ['k', { kind: 'move', to: 4, extends: false }],
  ['PageDown', { kind: 'move', to: 9, extends: false }],
  ['PageUp', { kind: 'move', to: 0, extends: false }],
  ['Home', { kind: 'move', to: 0, extends: false }],
  ['End', { kind: 'move', to: 9, extends: false }],
  ['Enter', { kind: 'open' }],
  ['x', { kind: 'toggle' }],
  [' ', { kind: 'toggle' }],
  [' ', { kind: 'extend' }, { shiftKey: true }],
  ['Escape', { kind: 'none' }],
  ['a', { kind: 'all' }, { ctrlKey: true }],
  ['a', undefined],
  ['j', undefined, { altKey: true }],
  ['k', undefined, { metaKey: true }],
  ['Tab', undefined],
] as [string, unknown, Partial<typeof plain>?][])
  test(`in the sixth of ten rows, the key “${key}” with ${JSON.stringify(held ?? {})} means ${JSON.stringify(expected)}`, (t) =>
    t.deepEqual(actionOfKey({ ...plain, key, ...held }, { at: 5, count: 10, perPage: 8 }), expected as never))

test('no key does anything in an empty list', (t) =>
  t.is(actionOfKey({ ...plain, key: 'j' }, { at: 0, count: 0, perPage: 8 }), undefined))

for (const [top, first, end] of [
  [200, 0, 15],
  [0, 0, 20],
  [-400, 10, 30],
  [-410, 10, 31],
  [900, 0, 0],
] as const)
  test(`a list ${top} pixels below the edge shows the rows ${first} to ${end}`, (t) =>
    t.deepEqual(shownRows(top, 40, 800), { first, end }))

test('the row with the focus is drawn in its place', (t) => {
  t.deepEqual(withRow([10, 11, 12], 3, 100), [3, 10, 11, 12])
  t.deepEqual(withRow([10, 11, 12], 40, 100), [10, 11, 12, 40])
  t.deepEqual(withRow([10, 11, 12], 11, 100), [10, 11, 12])
  t.deepEqual(withRow([], 0, 0), [])
})
