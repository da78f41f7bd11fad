// @promise callbacks
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as admin from '../../../api/admin.ts'
import * as agents from '../../../api/agents.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import * as callbacks from '../../../api/callbacks.ts'
import * as notifications from '../../../api/notifications.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { callbacksForFile, nobody, startReceiver, verified, type Posted } from './open-callbacks.ts'

const openCallbacks = callbacksForFile(test)

test.serial('what is not taken is tried again, the same under the same id, all on record', async (t) => {
  const { receiver, clock, agentAt, endedRun, callbackOf, retry, round, logs } = await openCallbacks(t)
  const agent = await agentAt()
  const runId = await endedRun(agent)
  const redirect = { Location: `${receiver.origin}/elsewhere` }
  const steps: [answer: typeof receiver.answer, httpStatus: number | null, outcome: RegExp, waits: number][] = [
    [
      (_, response) => response.writeHead(500).end(agent.callbackSecret),
      500,
      /^The receiver responded with 500\.$/,
      10,
    ],
    [() => undefined, null, /^The site localhost did not respond in time\.$/, 30],
    [(request) => request.socket.destroy(), null, /^The site localhost closed the connection early/, 60],
    [(_, response) => response.writeHead(302, redirect).end(), 302, /302, a redirect, which is not followed\.$/, 300],
    [(_, response) => response.writeHead(503, { 'Retry-After': '1000' }).end(), 503, /responded with 503\.$/, 1000],
    // An answer that never ends: its status is there, and that is all that matters.
    [(_, response) => response.writeHead(200).write('x'.repeat(100_000)), 200, /200/, 0],
  ]
  for (const [index, [answer, httpStatus, outcome, waits]] of steps.entries()) {
    receiver.answer = answer
    t.is(await round(), 1, `attempt ${index + 1} is made`)
    const { status, attempts, nextAt, log } = await callbackOf(runId)
    const last = index === steps.length - 1
    t.deepEqual([status, attempts, log.length], [last ? 'delivered' : 'pending', index + 1, index + 1])
    t.is(log[0]?.attempt, index + 1)
    t.is(log[0]?.httpStatus, httpStatus)
    t.regex(log[0]?.outcome ?? '', outcome)
    t.is(nextAt, last ? null : new Date(clock.now().getTime() + waits * 1000).toISOString())
    clock.forward(waits - 1)
    if (!last) t.is(await round(), 0, 'not before its time')
    clock.forward(1)
  }
  const [first, ...more] = receiver.posted as [Posted, ...Posted[]]
  t.deepEqual(verified(agent.callbackSecret, first).data['runId'], runId)
  for (const post of more)
    t.deepEqual([post.headers['webhook-id'], post.body], [first.headers['webhook-id'], first.body])
  t.is(new Set(receiver.posted.map(({ headers }) => headers['webhook-timestamp'])).size, steps.length)
  t.true(receiver.posted.every(({ url }) => url === '/endings'))
  clock.forward(100_000)
  t.is(await round(), 0)

  // An owner may have it all again.
  t.like(await retry(runId), { status: 'pending', endedAt: null })
  receiver.answer = (_request, response) => response.writeHead(204).end()
  t.is(await round(), 1)
  t.like(await callbackOf(runId), { status: 'delivered', attempts: steps.length + 1 })
  t.is(receiver.posted.at(-1)?.body, first.body)
  t.is(receiver.posted.at(-1)?.headers['webhook-id'], first.headers['webhook-id'])
  const lines = logs.filter((line) => line.includes('callback not delivered'))
  t.true(lines.some((line) => line.includes(`"agentId":"${agent.id}"`) && line.includes(`"runId":"${runId}"`)))
  t.false(logs.some((line) => line.includes(agent.callbackSecret ?? '') || line.includes('/endings')))
})

test.serial('a callback is given up after a day, or when unwanted, and its owner is told', async (t) => {
  const { receiver, clock, someone, agentAt, endedRun, callbackOf, retry, change, other, round } =
    await openCallbacks(t)
  const agent = await agentAt()
  const told = async () =>
    (await call(someone, notifications.listNotifications, { query: { kind: 'callback_failed' } })).body.items
  const runId = await endedRun(agent)
  receiver.answer = (_request, response) => response.writeHead(500).end()
  const { giveUpAt, createdAt } = await callbackOf(runId)
  t.is(Date.parse(giveUpAt) - Date.parse(createdAt), 86_400_000)
  t.is(await round(), 1)
  clock.forward((Date.parse(giveUpAt) - clock.now().getTime()) / 1000 - 1)
  t.is(await round(), 1)
  t.like(await callbackOf(runId), { status: 'pending', nextAt: giveUpAt })
  t.deepEqual(await told(), [])
  clock.forward(1)
  t.is(await round(), 1)
  const { status, attempts, log } = await callbackOf(runId)
  t.deepEqual([status, attempts, log.length], ['failed', 3, 3])
  t.is(log[0]?.at, giveUpAt, 'the last attempt is made when the time is up')
  const title = 'A callback could not be delivered: agent “An agent”'
  t.like(await told(), [{ subjectId: agent.id, consolePage: `/console/runs/${runId}`, title }])
  t.regex((await told())[0]?.message ?? '', /The receiver responded with 500\. To see the attempts, use GET \/runs\//)

  receiver.answer = (_request, response) => response.writeHead(410).end()
  const unwanted = await endedRun(agent)
  // It ended in everybody else's time, which is a day behind.
  t.is(await round(), 1)
  t.like(await callbackOf(unwanted), { status: 'failed', attempts: 1, nextAt: null })
  t.is((await told()).length, 1)
  clock.forward(86_400)
  const nextDay = await endedRun(agent)
  await round()
  t.is((await callbackOf(nextDay)).status, 'failed')
  t.is((await told()).length, 2)

  // Without an address there is nowhere to post to; with another one the owner has a failed one tried again.
  await change(agent.id, { callbackUrl: null })
  const refused = await call(someone, callbacks.retryCallback, { params: { runId: unwanted } })
  t.is(refused.failure.code, 'NOT_FOUND')
  await change(agent.id, { callbackUrl: other.url })
  t.like(await retry(unwanted), { status: 'pending', url: other.url })
  await round()
  t.like(await callbackOf(unwanted), { status: 'delivered', attempts: 2 })
  t.is(other.posted.length, 1)
})

test.serial('what is still in line behind a silent receiver when its time is up is given up', async (t) => {
  const { receiver, clock, someone, agentAt, endedRun, callbackOf, round, platform } = await openCallbacks(t, {
    timeoutSeconds: 60,
  })
  const { database } = platform.services
  // A batch has callbacks of both.
  const [other, agent] = [await agentAt(), await agentAt()]
  const tried = await endedRun(agent)
  receiver.answer = (_request, response) => response.writeHead(500).end()
  t.is(await round(), 1)
  const untried = await endedRun(other)
  await database.raw(
    `insert into runs (id, agent_id, owner_id, sequence, trigger, status, request_id, accepted_at, progressed_at, ended_at)
     select uuidv7(), agent_id, owner_id, sequence + i, trigger, status, request_id, accepted_at, progressed_at, ended_at
       from runs, generate_series(1, 250) i where id = ?`,
    [untried],
  )
  await database.raw(
    `insert into callbacks (id, agent_id, owner_id, run_id, url, status, give_up_at, next_at, created_at)
     select r.id, c.agent_id, c.owner_id, r.id, url, c.status, give_up_at, next_at, created_at
       from callbacks c join runs r on r.agent_id = c.agent_id and r.id <> c.run_id where c.run_id = ?`,
    [untried],
  )
  // Nobody has room for them before their time is up, although this process looks.
  await database.raw('update callbacks set next_at = give_up_at')
  clock.forward(86_400 - 60 - 20)
  t.is(await round(), 0)
  clock.forward(115)
  t.is(await round(), 0, 'without another attempt')
  t.is((await database('callbacks').where({ status: 'failed' })).length, 252)
  const { error, ...first } = await callbackOf(tried)
  t.like(first, { status: 'failed', attempts: 1, nextAt: null, endedAt: clock.now().toISOString() })
  t.deepEqual(
    [error, first.log.map(({ outcome }) => outcome)],
    [first.log[0]?.outcome, ['The receiver responded with 500.']],
  )
  const none = 'No attempt was made in time because no worker had capacity.'
  t.like(await callbackOf(untried), { status: 'failed', attempts: 0, log: [], error: none })
  const told = (await call(someone, notifications.listNotifications, { query: { kind: 'callback_failed' } })).body.items
  t.deepEqual(told.map(({ subjectId }) => subjectId).toSorted(), [agent.id, other.id].toSorted(), 'once for each agent')
  t.true(told.find(({ subjectId }) => subjectId === other.id)?.message.includes(none))
})

test.serial('neither a private address nor a suspended host is contacted', async (t) => {
  const { receiver, clock, agentAt, endedRun, callbackOf, round, platform } = await openCallbacks(t)
  const hidden = await startReceiver(t)
  await t.throwsAsync(agentAt(hidden.url), { message: /not a public internet address/ })
  const agent = await agentAt()
  // It was allowed when the agent was made.
  await platform.services.database('agents').where({ id: agent.id }).update({ callbackUrl: hidden.url })
  const runId = await endedRun(agent)
  await round()
  t.is(hidden.connections(), 0)
  const { status, log } = await callbackOf(runId)
  t.is(status, 'pending')
  t.like(log, [{ httpStatus: null, outcome: 'The site localhost does not have a public internet address.' }])

  const lost = await endedRun(await agentAt(nobody))
  await round()
  const { log: tried, ...rest } = await callbackOf(lost)
  t.like(tried, [{ httpStatus: null, outcome: 'The site localhost did not accept a connection.' }])
  t.like(rest, { status: 'pending', nextAt: new Date(clock.now().getTime() + 10_000).toISOString() })

  const operator = await adminOf(platform)
  const params = { host: receiver.host }
  await call(operator, admin.suspendHost, { params, body: { reason: 'It is being attacked' } })
  const held = await endedRun(await agentAt())
  const before = receiver.connections()
  t.is(await round(), 0)
  t.is(receiver.connections(), before)
  t.regex((await callbackOf(held)).log[0]?.outcome ?? '', /platform operator/)
  await call(operator, admin.liftHost, { params })
  clock.forward(10)
  t.is(await round(), 1)
  t.is((await callbackOf(held)).status, 'delivered')
})

test.serial(
  'several processes post each ending once; one that stops begins no attempt, and ends those that it has begun',
  async (t) => {
    const { receiver, agentAt, endedRun, callbackOf, openProcess } = await openCallbacks(t)
    const agent = await agentAt()
    const endedRuns = async (count: number) => {
      const runIds: string[] = []
      while (runIds.length < count) runIds.push(await endedRun(agent))
      return runIds
    }
    const runIds = await endedRuns(10)
    const slowly = (response: ServerResponse) => void delay(20).then(() => response.writeHead(204).end())
    receiver.answer = (_request, response) => slowly(response)
    await Promise.all([1, 2, 3].map(() => openProcess().deliverCallbacks()))
    const posted = receiver.posted.map(({ body }) => (JSON.parse(body) as { data: { runId: string } }).data.runId)
    t.deepEqual(posted.toSorted(), runIds.toSorted())

    const later = await endedRuns(4)
    const stopping = new AbortController()
    receiver.answer = (_request, response) => {
      stopping.abort()
      slowly(response)
    }
    await openProcess().deliverCallbacks(stopping.signal)
    t.is(receiver.posted.length, 13)
    const statuses = await Promise.all(later.map(async (runId) => (await callbackOf(runId)).status))
    t.deepEqual(statuses.toSorted(), ['delivered', 'delivered', 'delivered', 'pending'])
  },
)

test.serial('a process that dies during a post has it posted again, later, under the same id', async (t) => {
  const { receiver, clock, agentAt, endedRun, callbackOf, openProcess } = await openCallbacks(t, {
    timeoutSeconds: 60,
  })
  const runId = await endedRun(await agentAt())
  const [dying, next] = [openProcess(), openProcess()]
  receiver.answer = () => undefined
  dying.deliverCallbacks().catch(() => undefined)
  await eventually(10, 'the receiver has it', () => receiver.posted[0])
  // As if it were dead: nothing of it reaches the record any more.
  await dying.database.destroy()
  await next.deliverCallbacks()
  clock.forward(60)
  await next.deliverCallbacks()
  t.is(receiver.posted.length, 1)
  clock.forward(60)
  receiver.answer = (_request, response) => response.writeHead(204).end()
  await next.deliverCallbacks()
  const [first, second] = receiver.posted
  t.is(receiver.posted.length, 2)
  t.deepEqual([second?.headers['webhook-id'], second?.body], [first?.headers['webhook-id'], first?.body])
  t.like(await callbackOf(runId), { status: 'delivered', attempts: 2, log: [{ attempt: 2, httpStatus: 204 }] })
})

test.serial('callbacks of a deleted agent are sent, without a vault key later, by its new secret', async (t) => {
  const { receiver, clock, someone, agentAt, endedRun, callbackOf, round, openProcess, platform, logs } =
    await openCallbacks(t)
  const agent = await agentAt()
  const runId = await endedRun(agent)
  const rotated = (await call(someone, agentSecrets.rotateCallbackSecret, { params: { agentId: agent.id } })).body
  await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })
  const otherKeys = [{ name: 'other', key: randomBytes(32) }]
  const keyless = openProcess({ ...platform.config, vaultKeys: otherKeys })
  await keyless.deliverCallbacks()
  t.is(receiver.posted.length, 0)
  const outcome = 'The platform could not make the request because of an internal error.'
  t.like(await platform.services.database('callback_attempts').first(), { httpStatus: null, outcome })
  t.true(logs.some((line) => line.includes('failed to build a callback') && line.includes('is not configured')))

  clock.forward(10)
  t.is(await round(), 1)
  t.is((await callbackOf(runId)).status, 'delivered')
  const [post] = receiver.posted as [Posted]
  t.is(verified(rotated.callbackSecret, post).type, 'run.cancelled')
  t.throws(() => verified(agent.callbackSecret, post))
})
