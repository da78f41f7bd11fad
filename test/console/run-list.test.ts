import test from 'ava'
import { readAgain } from '../../console/lists/read-again.ts'
import {
  listFrom,
  periodOfRuns,
  withArrived,
  withFirstPage,
  withFresh,
  withOlder,
  type ListedRun,
  type RunList,
} from '../../console/lists/run-list.ts'

const start = Date.parse('2026-11-21T09:00:00.000Z')

const run = (number: number, change: Partial<ListedRun> = {}): ListedRun =>
  ({
    id: `run-${number}`,
    sequence: number,
    status: 'completed',
    acceptedAt: new Date(start + number * 1000).toISOString(),
    ...change,
  }) as ListedRun

const page = (numbers: number[], nextCursor: string | null = null) => ({ items: numbers.map((n) => run(n)), nextCursor })
const numbers = (runs: readonly ListedRun[]) => runs.map(({ sequence }) => sequence)

const cases = [
  { title: 'nothing arrived', first: [3, 2, 1], arrived: [], after: [3, 2, 1] },
  { title: 'two runs arrived', first: [5, 4, 3], arrived: [5, 4], after: [5, 4, 3, 2, 1] },
  { title: 'a run left the filter', first: [4, 2, 1], arrived: [4], after: [4, 3, 2, 1] },
  { title: 'a run was committed later than younger ones', first: [3, 2.5, 2], arrived: [2.5], after: [2.5, 3, 2, 1] },
]
for (const { title, first, arrived, after } of cases)
  test(`rows stay in their places until the reader wants the new ones: ${title}`, (t) => {
    const list = withFirstPage(listFrom(page([3, 2, 1], 'older')), page(first, 'next'))
    t.deepEqual(numbers(list.rows), [3, 2, 1])
    t.deepEqual(numbers(list.arrived), arrived)
    const brought = withArrived(list)
    t.deepEqual(numbers(brought.rows), after)
    t.deepEqual(brought.arrived, [])
    t.is(brought.next, 'older')
  })

test('a list begins again if more runs arrived than a page has', (t) => {
  const list = withArrived(withFirstPage(listFrom(page([3, 2, 1], 'older')), page([9, 8, 7], 'after 7')))
  t.deepEqual(numbers(list.rows), [9, 8, 7])
  t.is(list.next, 'after 7')
})

test('a list that was empty takes the first runs', (t) => {
  const list = withArrived(withFirstPage(listFrom(page([])), page([2, 1])))
  t.deepEqual(numbers(list.rows), [2, 1])
  t.is(list.next, null)
})

test('older runs come after the last row, unless the list began again meanwhile', (t) => {
  const list = listFrom(page([9, 8], 'after 8'))
  t.deepEqual(numbers(withOlder(list, 'after 8', page([7, 6])).rows), [9, 8, 7, 6])
  t.is(withOlder(list, 'after 3', page([2, 1])), list)
})

test('a row that changed is replaced in its place, and the others stay the same objects', (t) => {
  const before = listFrom(page([3, 2, 1]))
  const after = withFresh(before, [run(2, { status: 'failed' }), run(1), run(8)])
  t.deepEqual(numbers(after.rows), [3, 2, 1])
  t.is(after.rows[1]?.status, 'failed')
  t.is(after.rows[0], before.rows[0])
  t.is(after.rows[2], before.rows[2])
  t.is(withFresh(before, [run(1)]).rows, before.rows)
})

test('the period of runs includes the first and the last one', (t) => {
  t.deepEqual(periodOfRuns([run(3), run(1), run(2)]), {
    since: '2026-11-21T09:00:01.000Z',
    until: '2026-11-21T09:00:03.001Z',
  })
  t.is(periodOfRuns([]), undefined)
})

interface Asked {
  periods: (string | undefined)[]
  single: string[]
}

/** Reads again while the reader looks at all rows. `of` answers for the period, and `one` for single runs. */
async function read(list: RunList, isReading: boolean, of: ListedRun[] = [], one: ListedRun[] = []) {
  const asked: Asked = { periods: [], single: [] }
  const next = await readAgain(
    () => list,
    { visible: (rows) => rows, isReading: () => isReading },
    {
      async page({ since }) {
        asked.periods.push(since)
        return since === undefined ? { items: [run(9), run(8)], nextCursor: 'x' } : { items: of, nextCursor: null }
      },
      async one(id) {
        asked.single.push(id)
        return one.find((each) => each.id === id)
      },
    },
  )
  return { next, asked }
}

test('new runs enter at once if nobody reads, and wait otherwise', async (t) => {
  const list = listFrom(page([8, 7]))
  t.deepEqual(numbers((await read(list, false)).next.rows), [9, 8, 7])
  t.deepEqual(numbers((await read(list, true)).next.rows), [8, 7])
})

test('visible runs that may still change are read again with their period', async (t) => {
  const list = withFresh(listFrom(page([8, 7, 6])), [run(7, { status: 'running' })])
  const { next, asked } = await read(list, true, [run(7, { status: 'failed' })])
  t.deepEqual(asked.periods, [undefined, run(7).acceptedAt])
  t.deepEqual(asked.single, [])
  t.is(next.rows[1]?.status, 'failed')
})

test('a visible run that left the filter is read by itself', async (t) => {
  const list = withFresh(listFrom(page([8, 7])), [run(7, { status: 'queued' })])
  const { next, asked } = await read(list, true, [], [run(7, { status: 'cancelled' })])
  t.deepEqual(asked.single, ['run-7'])
  t.is(next.rows[1]?.status, 'cancelled')
})

test('runs that have ended are not read again', async (t) => {
  t.deepEqual((await read(listFrom(page([8, 7])), true)).asked, { periods: [undefined], single: [] })
})

test('a list of 100,000 runs takes a first page in a few milliseconds', (t) => {
  const many = Array.from({ length: 100_000 }, (_, index) => run(100_000 - index))
  const list = listFrom({ items: many, nextCursor: 'older' })
  const began = performance.now()
  for (let round = 0; round < 10; round += 1) withFirstPage(list, page([100_001, 100_000, 99_999], 'next'))
  t.true((performance.now() - began) / 10 < 100)
})
