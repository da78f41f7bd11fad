import test from 'ava'
import { countOf } from '../../../bench/correctness/count.ts'

test('each item once and in order counts as nothing', (t) => {
  t.deepEqual(countOf([1, 2, 3], 3), { lost: 0, doubled: 0, reordered: 0 })
})

test('an item without an effect is lost, and a second effect is doubled wherever it comes', (t) => {
  t.deepEqual(countOf([1, 3, 3, 1], 3), { lost: 1, doubled: 2, reordered: 0 })
})

test('an item is reordered if its first effect came after that of a later one', (t) => {
  t.deepEqual(countOf([2, 1, 4, 3, 4], 4), { lost: 0, doubled: 1, reordered: 2 })
})
