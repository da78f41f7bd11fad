import test from 'ava'
import { argumentsHashOf, type Approval } from '../../../src/approvals/approval.ts'
import { byApproval, endingIfLost, endingWith, endingWithout, hindranceOf } from '../../../src/loop/call-endings.ts'
import type { ToolCall } from '../../../src/tools/tool-call.ts'

const now = new Date('2026-11-21T09:00:00Z')
const soon = new Date('2026-11-21T09:00:01Z')

type Call = Parameters<typeof byApproval>[1]
type Status = NonNullable<ReturnType<typeof endingIfLost>>['status']

const call = (facts: Partial<Call> = {}): Call => ({
  inDoubt: false,
  status: 'planned',
  effect: 'once',
  attempts: 0,
  refusedAttempts: 0,
  asksFirst: false,
  tool: 'pay',
  siteOrigin: 'https://shop.example',
  arguments: '{"cents":100}',
  ...facts,
})

const permission = { removed: false, asksFirst: false, gone: false }

const approval = (facts: Partial<Approval> = {}): Approval =>
  ({
    status: 'approved',
    tool: 'pay',
    siteOrigin: 'https://shop.example',
    argumentsHash: argumentsHashOf('{"cents":100}'),
    expiresAt: soon,
    note: null,
    form: null,
    ...facts,
  }) as Approval

test('a call whose answer was lost is sent again only if its site declares it safe, three times at most', (t) => {
  const lost = { status: 'started', effect: 'once', attempts: 1, refusedAttempts: 0 } as const
  const rows: [Partial<Pick<ToolCall, keyof typeof lost | 'forms'>>, Status | undefined, RegExp?][] = [
    [{}, 'unknown', /not declared safe to repeat/],
    [{ status: 'planned', attempts: 3 }, undefined],
    [{ status: 'succeeded' }, undefined],
    [{ refusedAttempts: 1 }, undefined],
    [{ effect: 'idempotent', attempts: 2 }, undefined],
    [{ effect: 'read', attempts: 2 }, undefined],
    [{ effect: 'idempotent', attempts: 3 }, 'unknown', /^Every attempt/],
    [{ effect: 'read', attempts: 3 }, 'failed', /^Every attempt/],
    [{ effect: 'read', attempts: 4, refusedAttempts: 2 }, undefined],
    [{ effect: 'read', attempts: 5, refusedAttempts: 2 }, 'failed', /^Every attempt/],
    [{ attempts: 2, forms: 1 }, 'unknown', /not declared safe to repeat/],
    [{ effect: 'read', attempts: 6, forms: 4 }, undefined],
    [{ effect: 'read', attempts: 7, forms: 4 }, 'failed', /^Every attempt/],
  ]
  for (const [facts, status, note = /^$/] of rows) {
    const ending = endingIfLost({ ...lost, ...facts })
    t.is(ending?.status, status, JSON.stringify(facts))
    t.regex(ending?.note ?? '', note, JSON.stringify(facts))
  }
})

test('a call of a tool that was removed ends, in doubt if it was sent', (t) => {
  const removed = { ...permission, removed: true }
  const rows: [Partial<Call>, Status, RegExp][] = [
    [{}, 'failed', /^The call was not made/],
    [{ status: 'started', attempts: 1 }, 'unknown', /^An earlier attempt/],
    [{ inDoubt: true }, 'unknown', /^An earlier attempt/],
    [{ inDoubt: true, effect: 'idempotent' }, 'unknown', /^An earlier attempt/],
    [{ inDoubt: true, effect: 'read' }, 'failed', /^An earlier attempt/],
  ]
  for (const [facts, status, note] of rows) {
    const ending = endingWithout(removed, call(facts))
    t.is(ending?.status, status, JSON.stringify(facts))
    t.regex(ending?.note ?? '', note)
  }
})

test('a planned call ends if its tool asks first since then, and nobody was asked', (t) => {
  const asksFirst = { ...permission, asksFirst: true }
  t.like(endingWithout(asksFirst, call()), { status: 'failed' })
  t.regex(endingWithout(asksFirst, call())?.note ?? '', /now requires approval/)
  t.is(endingWithout(asksFirst, call({ asksFirst: true })), undefined)
  t.is(endingWithout(asksFirst, call({ status: 'started' })), undefined, 'it was sent before')
  t.is(endingWithout(permission, call()), undefined)
})

test('what is sent is what was approved, to the letter', (t) => {
  const hindrance = (facts: Partial<Call>) => byApproval(approval(), call(facts), { gone: false, now })
  t.is(hindrance({}), undefined)
  t.is(byApproval(approval(), call(), { gone: true, now }), undefined, 'the site itself is looked at when it is called')
  for (const other of [{ arguments: '{"cents":101}' }, { tool: 'refund' }, { siteOrigin: 'https://other.example' }]) {
    const ending = hindrance(other)
    t.true(ending !== undefined && 'note' in ending && /differs from the call that was approved/.test(ending.note))
    t.like(ending, { status: 'failed' })
  }
})

test('a call waits for an approval until it expires, and ends without one', (t) => {
  const hindrance = (facts: Partial<Approval> | undefined, gone = false) =>
    byApproval(facts && approval(facts), call(), { gone, now })
  t.deepEqual(hindrance({ status: 'pending' }), { waitsUntil: soon })
  const endings: [Partial<Approval> | undefined, boolean, RegExp][] = [
    [{ status: 'pending', expiresAt: now }, false, /nobody approved it in time/],
    [{ status: 'expired' }, false, /nobody approved it in time/],
    [{ status: 'withdrawn' }, false, /the request for its approval was withdrawn/],
    [{ status: 'pending' }, true, /because its site is no longer connected/],
    [undefined, false, /because its site is no longer connected/],
    [
      { status: 'refused' },
      true,
      /because its approval was refused\. Do not request it again unless you are asked to\.$/,
    ],
    [
      { status: 'refused', note: 'Too much.' },
      false,
      /because its approval was refused\. .* The note on the refusal: "Too much\."$/,
    ],
  ]
  for (const [facts, gone, note] of endings) {
    const ending = hindrance(facts, gone)
    t.like(ending, { status: 'failed' }, String(note))
    t.regex(ending && 'note' in ending ? ending.note : '', note)
  }
})

test('a call whose site asks is sent again once somebody has answered or refused, and ends without an answer', (t) => {
  const asking = call({ attempts: 1, forms: 1, asksFirst: true })
  const decided = (facts: Partial<Approval>) =>
    hindranceOf(asking, permission, { approval: approval({ form: '{}', ...facts }), now })
  t.is(decided({ status: 'approved' }), undefined)
  t.is(decided({ status: 'refused' }), undefined)
  t.deepEqual(decided({ status: 'pending' }), { waitsUntil: soon })
  t.like(decided({ status: 'pending', expiresAt: now }), { status: 'failed' })
  t.regex(JSON.stringify(decided({ status: 'expired' })), /nobody answered in time/)
  t.regex(JSON.stringify(decided({ status: 'withdrawn' })), /was withdrawn, so the call did not come to its end/)
  const without = (facts: Partial<typeof permission>) =>
    hindranceOf(asking, { ...permission, ...facts }, { approval: approval({ form: '{}', status: 'pending' }), now })
  t.regex(JSON.stringify(without({ removed: true })), /removed the tool .*, so the call did not come to its end/)
  t.regex(JSON.stringify(without({ gone: true })), /no longer connected, so the call did not come to its end/)
})

test('what was sent comes before what may be sent, and that before what was decided', (t) => {
  const asked = { ...permission, asksFirst: true }
  const about = (more: Partial<Call>, allowed = asked, decided: Partial<Approval> = {}) =>
    hindranceOf(call({ asksFirst: true, ...more }), allowed, { approval: approval(decided), now })
  const sent = { status: 'started', attempts: 1 } as const
  t.is(about({}), undefined)
  t.like(about(sent, { ...asked, removed: true }), { status: 'unknown' })
  t.regex(JSON.stringify(about(sent, { ...asked, removed: true })), /not declared safe to repeat/)
  t.regex(JSON.stringify(about({}, { ...asked, removed: true }, { status: 'refused' })), /owner removed the tool/)
  t.regex(JSON.stringify(about({}, asked, { status: 'refused' })), /approval was refused/)
  t.is(about({ asksFirst: false }, permission, { status: 'refused' }), undefined, 'nobody was asked')
})

test('a call that its answer leaves open ends by what is known of its attempts', (t) => {
  const sent = { status: 'started', attempts: 1 } as const
  const rows: [Partial<Call>, Status, RegExp][] = [
    [{}, 'failed', /^The answer ended before this call was sent\.$/],
    [sent, 'unknown', /^The answer ended while this call was in progress\./],
    [{ ...sent, effect: 'read' }, 'failed', /^The answer ended while this call was in progress\./],
    [{ ...sent, refusedAttempts: 1 }, 'failed', /earlier attempts had no effect\.$/],
    [{ ...sent, attempts: 2, refusedAttempts: 1 }, 'unknown', /in progress/],
    [{ attempts: 1, forms: 1 }, 'failed', /while the site waited for input\.$/],
    [{ ...sent, attempts: 2, forms: 1 }, 'unknown', /in progress/],
  ]
  for (const [facts, status, note] of rows) {
    const ending = endingWith('answer', call(facts))
    t.is(ending.status, status, JSON.stringify(facts))
    t.regex(ending.note, note)
  }
})
