import test from 'ava'
import { advise } from '../../../src/why/actions.ts'
import { inOrder, mostNeeds, needOf, type Need } from '../../../src/needs/need.ts'
import { usualPerDay } from '../../../src/needs/usual-credits.ts'

const hour = (hours: number) => new Date(Date.UTC(2026, 10, 21, hours))
const action = advise`Wait.`
const make = (message: string, parts: Partial<Need> = {}): Need =>
  needOf({ kind: 'blocked', message, action, count: 1, ...parts })

test('what gets worse soonest comes first, then what has waited longest, and unknown times come last', (t) => {
  const sorted = [
    make('fails first', { until: hour(13), since: hour(11) }),
    make('fails later, waits longer', { until: hour(14), since: hour(1) }),
    make('fails later, waits shorter', { until: hour(14), since: hour(2) }),
    make('fails later, since an unknown time', { until: hour(14) }),
    make('waits longest', { since: hour(3) }),
    make('waits for a while, approval', { since: hour(4), kind: 'approval', approvalId: 'z' }),
    make('waits for a while, agent a', { since: hour(4), agentId: 'a' }),
    make('waits for a while, agent b', { since: hour(4), agentId: 'b' }),
    make('waits for a while, model', { since: hour(4), kind: 'model', model: 'm' }),
    make('waits since an unknown time'),
  ]
  const messagesOf = (needs: Need[]) => needs.map(({ message }) => message)
  t.deepEqual(messagesOf(inOrder(sorted.toReversed())), messagesOf(sorted))
})

test('an answer has the hundred most urgent items', (t) => {
  const needs = Array.from({ length: 2 * mostNeeds }, (_, index) => make(String(index), { until: hour(1000 - index) }))
  const kept = inOrder(needs)
  t.is(kept.length, 100)
  t.is(kept[0]?.message, '199')
})

const zeros = Array.from({ length: 11 }, () => 0)

for (const { title, days, usual } of [
  { title: 'without use', days: Array.from({ length: 14 }, () => 0), usual: null },
  { title: 'with two days of use', days: [...zeros, 0, 5, 5], usual: null },
  { title: 'with three days of use among fourteen', days: [...zeros, 5, 5, 5], usual: 0 },
  { title: 'with one extreme day', days: [10, 10, 10, 10, 10, 10, 9000, 10, 10, 10, 10, 10, 10, 10], usual: 10 },
  { title: 'between its middle days', days: [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16], usual: 9 },
]) {
  test(`the usual credits of a day ${title} are ${usual}`, (t) => {
    t.is(usualPerDay(days), usual)
  })
}
