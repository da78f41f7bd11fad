import test from 'ava'
import { allowedTools, stateOf, toolInWords, usageInWords } from '../../console/screens/agents/agent-words.ts'
import { aheadInWords, inOrder } from '../../console/screens/agents/queue-order.ts'
import { tabsOf } from '../../console/screens/agents/tabs.ts'

const at = '2026-11-27T12:00:00.000Z'
const run = (status: 'running' | 'waiting' | 'queued' | 'failed') => ({ id: 'run', status, acceptedAt: at })

for (const [agent, state] of [
  [{ pausedAt: null, lastRun: null }, 'ready'],
  [{ pausedAt: null, lastRun: run('failed') }, 'ready'],
  [{ pausedAt: null, lastRun: run('running') }, 'working'],
  [{ pausedAt: null, lastRun: run('waiting') }, 'waiting'],
  [{ pausedAt: null, lastRun: run('queued') }, 'queued'],
  [{ pausedAt: at, lastRun: run('running') }, 'paused'],
] as const)
  test(`an agent with ${JSON.stringify(agent)} is ${state}`, (t) => t.is(stateOf(agent), state))

test('usage names the cap only if there is one', (t) => {
  const usage = { month: '2026-11', used: 120, cap: 500, forecast: 180 }
  t.is(usageInWords(usage, String), '120 of 500, about 180 by the end of the month')
  t.is(usageInWords({ ...usage, cap: null }, String), '120, about 180 by the end of the month')
})

test('a tool says what it does and whether a call may be repeated', (t) =>
  t.is(
    toolInWords({ scope: 'delete', effect: 'once' }),
    'Deletes things. Each call counts, so it is never repeated by itself.',
  ))

const tool = (name: string) =>
  ({ name, description: '', inputSchema: {}, scope: 'read', effect: 'read', usable: true }) as never

test('an agent without a list of tools may use all that the site offers', (t) => {
  const allowed = allowedTools({ vaultEntryId: 'v', tools: null, askFirst: ['b'] }, [tool('a'), tool('b')])
  t.deepEqual(
    allowed.map(({ name, permission }) => [name, permission]),
    [
      ['a', 'allowed'],
      ['b', 'asks first'],
    ],
  )
})

test('a chosen tool that the site no longer offers is still listed', (t) => {
  const [gone] = allowedTools({ vaultEntryId: 'v', tools: ['gone'], askFirst: [] }, [tool('a')])
  t.is(gone?.name, 'gone')
  t.is(gone?.tool, undefined)
})

test('a queue has the runs that have not ended, by their sequence numbers', (t) => {
  const runs = [
    { id: 'c', sequence: 12, endedAt: null },
    { id: 'a', sequence: 9, endedAt: at },
    { id: 'b', sequence: 10, endedAt: null },
  ]
  t.deepEqual(
    inOrder(runs).map(({ id }) => id),
    ['b', 'c'],
  )
})

for (const [place, words] of [
  [0, 'Next'],
  [1, '1 run ahead'],
  [12, '12 runs ahead'],
] as const)
  test(`the run at place ${place} of a queue reads "${words}"`, (t) => t.is(aheadInWords(place), words))

for (const [trigger, names] of [
  ['manual', ['Queue', 'Settings', 'Versions']],
  ['scheduled', ['Queue', 'Settings', 'Schedule', 'Versions']],
  ['webhook', ['Queue', 'Settings', 'Connect', 'Test delivery', 'Refused', 'Versions']],
] as const)
  test(`a ${trigger} agent has the tabs ${names.join(', ')}`, (t) =>
    t.deepEqual(
      tabsOf(trigger).map(({ name }) => name),
      [...names],
    ))
