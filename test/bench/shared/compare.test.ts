import test from 'ava'
import { measureInTurn, rateRows, timeRows } from '../../../bench/shared/compare.ts'

test('the sides take turns, every other round in reverse', async (t) => {
  const order: string[] = []
  const side = (name: string) => ({ name, measure: async () => order.push(name) })
  const measured = await measureInTurn([side('a'), side('b')], 3, String)
  t.deepEqual(order, ['a', 'b', 'b', 'a', 'a', 'b'])
  t.deepEqual(measured, [
    { name: 'a', rounds: [1, 4, 5] },
    { name: 'b', rounds: [2, 3, 6] },
  ])
})

test('the ratio of rates is the median of the ratios within a round, not the ratio of the medians', (t) => {
  const rows = rateRows([
    { name: 'ours', rounds: [10, 20, 90] },
    { name: 'theirs', rounds: [20, 10, 30] },
  ])
  t.deepEqual(rows, [
    ['ours', '20.0', ''],
    ['theirs', '20.0', '2.00'],
  ])
})

test('the ratio of times compares the medians of the rounds, and p95 counts the times of all rounds', (t) => {
  const rows = timeRows([
    { name: 'ours', rounds: [[1, 2, 9], [4], [3]] },
    { name: 'theirs', rounds: [[1], [1], [1]] },
  ])
  t.deepEqual(rows, [
    ['ours', '3.0', '9.0', ''],
    ['theirs', '1.0', '1.0', '3.00'],
  ])
})
