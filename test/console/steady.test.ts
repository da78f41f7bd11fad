import test from 'ava'
import { steadyRows } from '../../console/screens/home/steady.ts'
import { needOf } from './needs.ts'

const [a, b, c] = ['a', 'b', 'c'].map((agentId) => needOf({ agentId })) as [Need, Need, Need]
type Need = ReturnType<typeof needOf>

const table: [string, Need[], Need[], { agents: string; over: string; arrived: number }][] = [
  ['the same needs in another order stay where they are', [a, b], [b, a], { agents: 'ab', over: '', arrived: 0 }],
  ['a need that is over keeps its place', [a, b], [b], { agents: 'ab', over: 'a', arrived: 0 }],
  ['a need that arrives waits to be shown', [b], [a, b], { agents: 'b', over: '', arrived: 1 }],
  ['both can happen at once', [a], [b, c], { agents: 'a', over: 'a', arrived: 2 }],
  ['an empty list shows nothing', [], [a], { agents: '', over: '', arrived: 1 }],
]

for (const [what, shown, now, expected] of table) {
  test(`in the list of needs, ${what}`, (t) => {
    const { rows, arrived } = steadyRows(shown, now)
    const agents = rows.map(({ need }) => need.agentId).join('')
    const over = rows.flatMap(({ need, isOver }) => (isOver ? [need.agentId] : [])).join('')
    t.deepEqual({ agents, over, arrived }, expected)
  })
}

test('a need shows what is known about it now', (t) => {
  const later = { ...a, message: 'Four runs wait.', runId: 'next' }
  t.is(steadyRows([a], [later]).rows[0]?.need, later)
})

test('two causes that block one agent are two needs', (t) => {
  const other = { ...a, cause: 'credits' as const }
  t.is(steadyRows([a], [a, other]).arrived, 1)
})
