// @promise notifications
import test from 'ava'
import { listNotifications } from '../../../api/notifications.ts'
import { newId } from '../../../src/ids.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, webhookAgent, type Person } from '../../helpers/people.ts'
import { cancel, start } from '../../helpers/runs.ts'
import * as agents from '../../../api/agents.ts'
import * as auth from '../../../api/auth.ts'
import type { NotificationKind } from '../../../src/notifications/notification.ts'
import { notificationsForFile, telling } from './open-notifications.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const openNotifications = notificationsForFile(test)
const openPlatform = sharedPlatform(test)

test.serial('an owner is told once of one state of one thing, and again of another', async (t) => {
  const { tell, ada, owner, rows } = await openNotifications(t)
  t.true(await tell(ada))
  t.false(await tell(ada))
  t.false(await tell(ada, { title: 'In other words', message: 'The same.' }))
  for (const other of [{ key: '2' }, { subjectId: newId() }, { kind: 'manifest_changed' as const }])
    t.true(await tell(ada, other))
  t.true(await tell(await owner('grace@example.com')))
  t.is((await rows()).length, 5)
  t.like((await rows())[0], {
    title: telling.title,
    message: [telling.message].flat().join('\n'),
    mailStatus: 'none',
    mailNextAt: null,
  })
})

test.serial('notifications are kept for 400 days, and deleted then', async (t) => {
  const { tell, ada, rows, notifications, clock } = await openNotifications(t)
  await tell(ada)
  for (const [days, left] of [
    [399, 1],
    [2, 0],
  ] as const) {
    clock.forward(days * 86_400)
    await notifications.purge()
    t.is((await rows()).length, left)
  }
})

test.serial('of many processes that tell the same at the same instant one does', async (t) => {
  const { tell, ada, rows, openProcess } = await openNotifications(t)
  const processes = [openProcess(), openProcess(), openProcess()]
  const told = await Promise.all(Array.from({ length: 24 }, (_, index) => tell(ada, {}, processes[index % 3])))
  t.is(told.filter(Boolean).length, 1)
  t.is((await rows()).length, 1)
})

test.serial('what was told in a transaction that failed was not told, and who waited for it tells it', async (t) => {
  const { tell, ada, rows, database, notifications } = await openNotifications(t)
  const failing = await database.transaction()
  t.true(await notifications.notify(failing, { ...telling, ownerId: ada }))
  const waiting = tell(ada)
  await failing.rollback()
  t.true(await waiting)
  t.is((await rows()).length, 1)
})

test.serial('words of a site cannot make telling fail, whatever is in them', async (t) => {
  const { tell, ada, rows } = await openNotifications(t)
  const odd = 'A\u0000B\r\nBcc: \ud800 \u202eeve\u2028\u001b[31m 👩‍💻'
  t.true(
    await tell(ada, {
      title: odd.repeat(500),
      message: Array.from({ length: 500 }, () => `${odd}\n\n${'x'.repeat(3000)}\n`),
    }),
  )
  const [row] = await rows()
  t.true(row?.title.startsWith('A B Bcc: eve [31m 👩‍💻A B'))
  t.is(Array.from(row?.title ?? '').length, 200)
  t.is(row?.message.split('\n').length, 100)
  t.true(row?.message.startsWith('A B Bcc: eve [31m 👩‍💻 xxx'))
})

const idOf = async (someone: Parameters<typeof call>[0]) => (await call(someone, auth.me)).body.id

const toldOf = async (someone: Person, kind: NotificationKind) =>
  (await call(someone, listNotifications, { query: { kind } })).body.items

test("an owner is told of the first of an agent's runs that fail in a row, and once of each block of its queue", async (t) => {
  const platform = await openPlatform()
  const someone = await customer(platform)
  const agent = await agentOf(someone, { name: 'Triage' })
  const statuses: string[] = []
  for (const systemPrompt of ['[[fail 400]]', '[[fail 400]]', '[[say done]]', '[[fail 400]]']) {
    await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { systemPrompt } })
    const { id } = (await start(someone, agent)).body
    statuses.push((await ended(someone, id)).status)
  }
  t.deepEqual(statuses, ['failed', 'failed', 'completed', 'failed'])
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { systemPrompt: '[[sleep 60]]' } })
  const stopped = (await start(someone, agent)).body.id
  await cancel(someone, stopped)
  statuses.push((await ended(someone, stopped)).status)
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { systemPrompt: '[[fail 400]]' } })
  statuses.push((await ended(someone, (await start(someone, agent)).body.id)).status)
  t.deepEqual(statuses.slice(4), ['cancelled', 'failed'])
  const failures = await toldOf(someone, 'agent_failing')
  t.deepEqual(
    failures.map(({ subjectId, title }) => [subjectId, title]),
    [1, 2].map(() => [agent.id, 'A run failed: agent “Triage”']),
  )
  t.deepEqual(
    failures.map(({ message }) => /^Run (\d) of the agent “Triage” failed\. .+ See GET \/runs\//.exec(message)?.[1]),
    ['4', '1'],
  )
  for (const { consolePage, message } of failures)
    t.true(message.includes(`GET ${consolePage.replace(/^\/console(?=\/runs\/)/, '')}/events`), consolePage)

  const ownerId = await idOf(someone)
  const blocking = await webhookAgent(someone, { name: 'Sorting' })
  const params = { agentId: blocking.id }
  const grant = (balance: number) => platform.services.database('accounts').where({ ownerId }).update({ balance })
  const blockedCause = async () =>
    ((await platform.services.database('agentQueues').where(params).first()) as { blockedCause: string | null })
      .blockedCause
  for (const block of [1, 2]) {
    await call(someone, agents.pauseAgent, { params })
    const { runId } = (await deliver(platform, blocking, { block })).body
    await grant(0)
    // Claimed again and again, it is still the same block.
    for (const _ of [1, 2]) {
      await call(someone, agents.resumeAgent, { params })
      await eventually(20, 'the queue is blocked', async () => (await blockedCause()) === 'credits' || undefined)
      await platform.services.temporal.wakeAgent({
        agentId: blocking.id,
        ownerId,
        agentName: 'Sorting',
      })
    }
    t.is((await toldOf(someone, 'queue_blocked')).length, block)
    await grant(100)
    t.is((await ended(someone, runId)).status, 'completed')
  }
  const [told, ...more] = await toldOf(someone, 'queue_blocked')
  t.is(more.length, 1)
  t.like(told, {
    subjectId: blocking.id,
    consolePage: `/console/agents/${blocking.id}`,
    title: 'Runs are waiting: agent “Sorting”',
  })
  t.regex(told?.message ?? '', /^You have no credits left\. .+ Each run fails after waiting 24 hours\.$/)
})
