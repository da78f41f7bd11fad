// @promise budgets decisions
import test from 'ava'
import type { OfferedTool } from '../../../src/loop/offer.ts'
import { planCalls, type CheckedCall } from '../../../src/loop/plan-calls.ts'

const now = new Date('2026-11-21T09:00:00Z')
const mayAskUntil = new Date('2026-11-21T09:05:00Z')

const tool = (name: string, asksFirst = false): OfferedTool => ({
  name,
  entryId: 'entry',
  siteName: 'Shop',
  siteOrigin: 'https://shop.example',
  tool: { name: `shop.${name}`, description: '', inputSchema: {}, scope: 'write', effect: 'idempotent' },
  asksFirst,
})
const tools = [tool('look'), tool('pay', true)]

const call = (name: string, more: Partial<CheckedCall> = {}): CheckedCall => ({
  id: 'call_1',
  name,
  arguments: '{}',
  argumentProblem: undefined,
  ...more,
})
const looks = (times: number) => Array.from({ length: times }, () => call('look'))
const unfit = { argumentProblem: 'The arguments do not match.' }

/** What becomes of the last call: the result with which it fails, `asks` if it needs an approval, or `planned`. */
const rows: [title: string, calls: CheckedCall[], last: RegExp | 'asks' | 'planned', more?: object][] = [
  ['a call of an offered tool is planned', [call('look')], 'planned'],
  ['a call of a tool that asks first needs an approval', [call('pay')], 'asks'],
  ['an unknown tool fails', [call('steal')], /^There is no tool named "steal"/],
  ['unfit arguments fail', [call('look', unfit)], /^The arguments do not match\.$/],
  ['and need no approval', [call('pay', unfit)], /^The arguments do not match\.$/],
  [
    'an unreadable call fails with its own words',
    [call('look', { ...unfit, problem: 'Unreadable.' })],
    /^Unreadable\.$/,
  ],
  ['the second identical call is planned', looks(2), 'planned'],
  ['the third fails', looks(3), /^You requested the same call 3 times in a row.* at the 5th identical request/],
  ['calls of earlier steps count', [call('look')], /4 times/, { before: looks(3) }],
  ['other calls end the row', [...looks(2), call('pay'), call('look')], 'planned'],
  ['so do other arguments', [...looks(2), call('look', { arguments: '{"a":1}' })], 'planned'],
  ['a repeated call needs no approval', Array.from({ length: 3 }, () => call('pay')), /3 times/],
  ['a repeated call is told so rather than what it lacks', [...looks(2), call('look', unfit)], /3 times/],
  ['nobody is asked when there is no time left', [call('pay')], /no time left to wait/, { mayAskUntil: now }],
  ['other calls need no such time', [call('look')], 'planned', { mayAskUntil: now }],
]

for (const [title, calls, last, more] of rows)
  test(`planned calls: ${title}`, (t) => {
    const { planned, toApprove } = planCalls({ step: 2, before: [], calls, tools, now, mayAskUntil, ...more })
    const row = planned.at(-1)!
    const { result } = row as { result?: string }
    if (last instanceof RegExp) t.regex(result ?? '', last)
    else t.is(result, undefined)
    t.is(row.status, last instanceof RegExp ? 'failed' : 'planned')
    t.is(row.asksFirst, last === 'asks')
    t.is(
      toApprove.some(({ callId }) => callId === row.id),
      last === 'asks',
    )
  })

test('what is written of a call names its tool at its site, or none if that is unknown', (t) => {
  const { planned } = planCalls({ step: 2, before: [], calls: [call('look'), call('steal')], tools, now, mayAskUntil })
  const common = { step: 2, modelCallId: 'call_1', arguments: '{}', plannedAt: now }
  const at = { vaultEntryId: 'entry', siteOrigin: 'https://shop.example', tool: 'shop.look', effect: 'idempotent' }
  t.like(planned[0], { ...common, ...at, position: 0, name: 'look' })
  const nowhere = { vaultEntryId: null, siteOrigin: null, tool: null, effect: 'once', endedAt: now }
  t.like(planned[1], { ...common, ...nowhere, position: 1, name: 'steal' })
})
