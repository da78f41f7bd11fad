// @promise decisions
import test from 'ava'
import * as notifications from '../../../api/notifications.ts'
import { approvalsOf, decide } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { askingRun } from '../../helpers/forms.ts'
import { ended, runOf, timelineOf } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, dataOf, happened } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const impatient = forWholeFile(test, 'expiring forms', (t) =>
  startPlatform(t, { worker: true, env: { RECONCILE_SECONDS: '1', RUN_WAIT_SECONDS: '4' } }),
)
const platformOf = forWholeFile(test, 'forms', (t) => startPlatform(t, { worker: true }))

test('a run waits for what a tool asks in the middle of its call, and the same call ends with the answer', async (t) => {
  const { server, someone, id, next, ordered, sent, outcome } = await askingRun(t, await platformOf(), 'order')
  t.like(await runOf(someone, id), { waitingCause: 'approval', waitingFor: server.url })
  const approval = await next()
  t.like(approval, { tool: 'order', siteOrigin: server.url, status: 'pending', input: null })
  t.deepEqual(approval.form, {
    message: 'What do you order?',
    fields: [
      {
        name: 'size',
        title: 'Size',
        description: null,
        kind: 'choice',
        isRequired: true,
        choices: [
          { value: 's', title: 'Size s' },
          { value: 'm', title: 'Size m' },
        ],
        min: null,
        max: null,
        preset: null,
      },
      {
        name: 'amount',
        title: 'Amount',
        description: null,
        kind: 'integer',
        isRequired: false,
        choices: [],
        min: 1,
        max: 9,
        preset: 1,
      },
    ],
  })
  t.is(sent().length, 1)
  const decided = await decide(someone, approval.id, 'approve', { input: { size: 'Size m', amount: '3' } })
  t.like(decided.body, { status: 'approved', input: { size: 'm', amount: 3 } })
  t.like(await outcome(), {
    status: 'succeeded',
    attempts: 2,
    result: { content: [{ type: 'text', text: 'Ordered.' }] },
  })
  t.deepEqual(ordered, [{ size: 'm', amount: 3 }])
  t.deepEqual(
    sent().map(({ requestState, inputResponses }) => [requestState, inputResponses]),
    [
      [undefined, undefined],
      ['order "1"', { asked: { action: 'accept', content: { size: 'm', amount: 3 } } }],
    ],
  )
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'approval.requested'), { 0: { approvalId: approval.id, formNumber: 1 }, length: 1 })
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'approved' }, length: 1 })
})

test('values that do not fit decide nothing, and a decided form cannot be answered otherwise', async (t) => {
  const { someone, next, ordered, outcome } = await askingRun(t, await platformOf(), 'order')
  const { id } = await next()
  const wrong = (await decide(someone, id, 'approve', { input: { amount: 10, colour: 'red' } })).failure
  t.is(wrong.code, 'VALIDATION_ERROR')
  t.deepEqual(
    wrong.details?.map(({ path }) => path),
    ['input.colour', 'input.size', 'input.amount'],
  )
  t.is((await decide(someone, id, 'approve')).failure.code, 'VALIDATION_ERROR')
  t.is((await next()).status, 'pending')
  t.is((await decide(someone, id, 'approve', { input: { size: 's' } })).body.status, 'approved')
  t.is((await decide(someone, id, 'approve', { input: { size: 's' } })).body.status, 'approved', 'sent again')
  t.is((await decide(someone, id, 'approve')).body.status, 'approved')
  t.is((await decide(someone, id, 'approve', { input: { size: 'm' } })).failure.code, 'VALIDATION_ERROR')
  t.is((await decide(someone, id, 'refuse')).failure.code, 'VALIDATION_ERROR')
  t.like(await outcome(), { status: 'succeeded' })
  t.deepEqual(ordered, [{ size: 's', amount: 1 }], 'a value that is not given is what the form shows at first')
})

test('a site is told that its form was refused, and ends the call', async (t) => {
  const { someone, next, sent, ordered, outcome } = await askingRun(t, await platformOf(), 'order')
  t.is((await decide(someone, (await next()).id, 'refuse')).body.status, 'refused')
  t.like(await outcome(), { status: 'succeeded', result: { content: [{ text: 'Nothing was ordered: decline.' }] } })
  t.deepEqual(sent()[1]?.['inputResponses'], { asked: { action: 'decline' } })
  t.deepEqual(ordered, [])
})

test('an approval of the call and two forms come one after another, each with the state of its own question', async (t) => {
  const { someone, next, sent, ordered, outcome } = await askingRun(t, await platformOf(), 'survey', ['survey'])
  const first = await next()
  t.is(first.form, null)
  t.is((await decide(someone, first.id, 'approve', { input: {} })).failure.code, 'VALIDATION_ERROR', 'it has no form')
  t.is(sent().length, 0)
  await decide(someone, first.id, 'approve')
  for (const [message, input] of [
    ['Your name?', { name: 'Ada' }],
    ['Your age?', { age: '36' }],
  ] as const) {
    const { id, form } = await next()
    t.is(form?.message, message)
    await decide(someone, id, 'approve', { input })
  }
  t.like(await outcome(), { status: 'succeeded', attempts: 3 })
  t.deepEqual(ordered, [{ age: 36 }])
  t.deepEqual(
    sent().map(({ requestState }) => requestState),
    [undefined, 'first', 'second'],
  )
  t.deepEqual(
    (await approvalsOf(someone)).map(({ status }) => status),
    ['approved', 'approved', 'approved'],
  )
  const told = (await call(someone, notifications.listNotifications)).body.items
  t.deepEqual(
    told.map(({ title }) => title),
    ['A tool asks for input: “survey”', 'A tool asks for input: “survey”', 'A tool call needs your approval: “survey”'],
  )
})

test('an answer whose response is cut leaves the call in doubt, and is not sent twice', async (t) => {
  const { server, someone, next, sent, outcome } = await askingRun(t, await platformOf(), 'order')
  server.instead = ({ method }, _request, response) => {
    if (method !== 'tools/call') return false
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end()
    return true
  }
  await decide(someone, (await next()).id, 'approve', { input: { size: 'm' } })
  t.like(await outcome(), { status: 'unknown', attempts: 2 })
  t.is(sent().length, 2)
})

test('a tool that keeps asking is answered five times', async (t) => {
  const { someone, next, sent, outcome } = await askingRun(t, await platformOf(), 'endless')
  for (let form = 1; form <= 5; form += 1)
    await decide(someone, (await next()).id, 'approve', { input: { more: true } })
  const { status, result } = await outcome()
  t.is(status, 'failed')
  t.regex(String(result), /asked for input more than 5 times/)
  t.is(sent().length, 6)
})

test('a form that nobody answers in time ends its call, and then its run has no time left for another', async (t) => {
  const { someone, id, next, sent } = await askingRun(t, await impatient(), 'order', [], '[[call endless]]')
  const approval = await next()
  t.is((await ended(someone, id)).status, 'completed')
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'expired' }, length: 1 })
  const results = dataOf(timeline, 'tool.finished')
  t.like(results, { 0: { status: 'failed', attempts: 1 }, 1: { status: 'failed', attempts: 1 }, length: 2 })
  t.regex(String(results[0]?.['result']), /nobody answered in time/)
  t.regex(String(results[1]?.['result']), /no time left to wait/)
  t.like(await approvalsOf(someone), { 0: { id: approval.id, status: 'expired' }, length: 1 })
  t.is(sent().length, 2)
})

test('the end of a run withdraws what its site asks, and nothing is sent', async (t) => {
  const { someone, id, next, sent } = await askingRun(t, await platformOf(), 'order')
  const approval = await next()
  await cancel(someone, id)
  t.is((await ended(someone, id)).status, 'cancelled')
  t.like(await approvalsOf(someone), { 0: { id: approval.id, status: 'withdrawn', input: null }, length: 1 })
  t.is((await decide(someone, approval.id, 'approve', { input: { size: 'm' } })).failure.code, 'VALIDATION_ERROR')
  t.is(sent().length, 1)
  await happened(someone, id, 'ended')
})
