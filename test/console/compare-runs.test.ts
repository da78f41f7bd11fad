import test from 'ava'
import { callsIn, pairsOfCalls, type Call } from '../../console/screens/runs/compare/calls.ts'
import { diff } from '../../console/parts/diff.ts'
import { factsOf } from '../../console/screens/runs/compare/facts.ts'
import { linesOf, withoutSame, type Line } from '../../console/parts/lines.ts'

const written = (one: string, other: string): string =>
  diff(one.split(''), other.split(''))
    .map((pair) => (pair.one === undefined ? `+${pair.other}` : pair.other === undefined ? `-${pair.one}` : pair.one))
    .join('')

for (const [one, other, expected] of [
  ['', '', ''],
  ['abc', 'abc', 'abc'],
  ['', 'ab', '+a+b'],
  ['ab', '', '-a-b'],
  ['abc', 'axc', 'a-b+xc'],
  ['abcd', 'acd', 'a-bcd'],
  ['acd', 'abcd', 'a+bcd'],
  ['aa', 'aaa', 'aa+a'],
  ['abcabba', 'cbabac', '-a-bc-ab+aba+c'],
] as const)
  test(`the difference of “${one}” and “${other}” keeps both in order`, (t) => {
    const found = written(one, other)
    t.is(found.replaceAll(/\+./g, '').replaceAll('-', ''), one)
    t.is(found.replaceAll(/-./g, '').replaceAll('+', ''), other)
    t.is(found, expected)
  })

test('lists that are too long to compare count as replaced', (t) => {
  const linesOf = (name: string) => Array.from({ length: 3000 }, (_, at) => `${name}${at}`)
  t.is(diff(linesOf('a'), linesOf('b')).length, 6000)
})

test('the order of members is no difference', (t) => {
  t.true(linesOf({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }).isSame)
})

test('a changed member is one line of each value', (t) => {
  const { lines, isSame } = linesOf({ order: 1, item: 'x' }, { order: 2, item: 'x' })
  t.false(isSame)
  t.deepEqual(
    lines.filter(({ kind }) => kind !== 'both'),
    [
      { kind: 'one', text: '  "order": 1' },
      { kind: 'other', text: '  "order": 2' },
    ],
  )
})

test('texts that differ after what is shown are not the same', (t) => {
  const { isSame, isCut } = linesOf('x'.repeat(30_000), `${'x'.repeat(29_999)}y`)
  t.false(isSame)
  t.true(isCut)
})

test('equal lines far from a difference are hidden and counted', (t) => {
  const same = (count: number): Line[] => Array.from({ length: count }, () => ({ kind: 'both', text: '' }))
  const shown = withoutSame([...same(10), { kind: 'one', text: 'x' }, ...same(4)])
  t.deepEqual(
    shown.map((line) => (line.kind === 'hidden' ? line.count : line.kind)),
    [7, 'both', 'both', 'both', 'one', 'both', 'both', 'both', 1],
  )
})

const event = (kind: string, data: object) => ({ kind, data, number: 1, at: '' }) as never
const call = (callId: string, tool: string, change: Partial<Call> = {}): Call => ({
  callId,
  tool,
  arguments: { id: 1 },
  outcome: 'succeeded',
  siteStatus: 200,
  ...change,
})

test('a call is told once, in the order of its beginning, with its outcome', (t) => {
  const calls = callsIn([
    event('tool.started', { callId: '1', tool: 'search', arguments: {} }),
    event('tool.started', { callId: '2', tool: 'create', arguments: {} }),
    event('tool.failed', { callId: '1', tool: 'search', arguments: {} }),
    event('tool.started', { callId: '1', tool: 'search', arguments: {} }),
    event('tool.finished', { callId: '1', tool: 'search', arguments: {}, status: 'failed', siteStatus: 503 }),
  ])
  t.deepEqual(
    calls.map(({ tool, outcome, siteStatus }) => [tool, outcome, siteStatus]),
    [
      ['search', 'failed', 503],
      ['create', 'open', null],
    ],
  )
})

test('calls of the same tool are a pair, and the others stand alone', (t) => {
  const one = [call('1', 'search'), call('2', 'create'), call('3', 'close')]
  const other = [
    call('4', 'search', { arguments: { id: 2 } }),
    call('5', 'close', { outcome: 'failed', siteStatus: 500 }),
  ]
  t.deepEqual(
    pairsOfCalls(one, other).map((pair) => [
      pair.one?.callId,
      pair.other?.callId,
      pair.hasOtherArguments,
      pair.hasOtherOutcome,
    ]),
    [
      ['1', '4', true, false],
      ['2', undefined, false, false],
      ['3', '5', false, true],
    ],
  )
})

const run = (change: object) =>
  ({
    status: 'completed',
    reason: null,
    startedAt: '2026-11-21T09:00:00.000Z',
    endedAt: '2026-11-21T09:00:12.000Z',
    steps: 3,
    toolCalls: 2,
    inputTokens: 1830,
    cachedTokens: 0,
    outputTokens: 212,
    credits: 3,
    costUsd: 0.0041,
    ...change,
  }) as never

for (const [name, change, expected] of [
  ['Status', { status: 'failed' }, ['completed', 'failed', true, undefined]],
  ['Steps', {}, ['3', '3', false, undefined]],
  ['Steps', { steps: 5 }, ['3', '5', true, '+2']],
  ['Input tokens', { inputTokens: 830 }, ['1,830', '830', true, '−1,000']],
  ['Duration', { endedAt: '2026-11-21T09:00:32.000Z' }, ['12 s', '32 s', true, '+20 s']],
  ['Duration', { endedAt: null }, ['12 s', '1 min', true, '+48 s']],
  ['Duration', { startedAt: null }, ['12 s', '–', true, undefined]],
  ['Cost', { costUsd: null }, ['$0.0041', 'price unknown', true, undefined]],
  ['Cost', { costUsd: 0.0141 }, ['$0.0041', '$0.0141', true, '+$0.01']],
] as const)
  test(`beside a run with ${JSON.stringify(change)}, “${name}” is ${JSON.stringify(expected)}`, (t) => {
    const facts = factsOf(run({}), run(change), Date.parse('2026-11-21T09:01:00.000Z'))
    const fact = facts.find((each) => each.name === name)
    t.deepEqual([fact?.one, fact?.other, fact?.differs, fact?.change] as unknown, expected)
  })
