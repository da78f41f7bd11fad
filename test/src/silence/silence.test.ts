import test from 'ava'
import * as agents from '../../../api/agents.ts'
import { call } from '../../helpers/client.ts'
import { silenceForFile } from './open-silence.ts'

const openSilence = silenceForFile(test)

test.serial(
  'an agent is silent after twice its longest gap, its owner is told once, and a delivery ends it',
  async (t) => {
    const {
      agent,
      clock,
      silence,
      refusals,
      testDeliveries,
      agents: services,
      first,
      deliver,
      makeUsual,
      shown,
      told,
    } = await openSilence(t)
    await makeUsual()
    const lastAt = clock.now()
    clock.forward(24 * 3600 - 1)
    await silence.round()
    t.is((await shown()).silentSince, null)
    t.deepEqual(await told(), [])

    // Neither tests nor what is refused is a delivery.
    const row = await services.forSender(agent.id)
    const tested = await testDeliveries.send(row, '{}', { id: 'r1', address: '192.0.2.1' })
    t.true('outcome' in tested)
    t.is(await deliver('a-wrong-secret-of-32-characters-'), 'WEBHOOK_SECRET_INVALID')
    await Promise.all([silence.flush(), refusals.flush()])
    clock.forward(1)
    await silence.round()
    t.is((await shown()).silentSince, lastAt.toISOString())
    const [notification] = await told()
    t.like(notification, { subjectId: agent.id, consolePage: `/console/agents/${agent.id}` })
    t.is(notification?.title, 'The usual deliveries do not come: agent “An agent”')
    t.regex(notification?.message ?? '', /the longest time between two deliveries was 12 hours\.\n/)
    t.regex(notification?.message ?? '', /A request without a valid secret or signature was refused at /)

    clock.forward(3 * 86_400)
    await silence.round()
    t.is((await told()).length, 1)

    t.is(await deliver(), 202)
    await first.silence.flush()
    t.is((await shown()).silentSince, null)
    // Its longest gap is now the silence.
    clock.forward(2 * 4 * 86_400 - 1)
    await silence.round()
    t.is((await told()).length, 1)
    clock.forward(1)
    await silence.round()
    t.is((await told()).length, 2)
    t.regex((await told())[0]?.message ?? '', /between two deliveries was 4 days\.\nNo delivery was refused since then/)
  },
)

test.serial('a paused agent is not silent, nor one whose owner turned this off', async (t) => {
  const { someone, params, clock, silence, makeUsual, shown, told } = await openSilence(t)
  const watch = (watchSilence: boolean) => call(someone, agents.updateAgent, { params, body: { watchSilence } })
  await makeUsual()
  t.is((await watch(false)).body.watchSilence, false)
  clock.forward(2 * 86_400)
  await silence.round()
  t.deepEqual([(await shown()).silentSince, await told()], [null, []])
  await watch(true)
  await call(someone, agents.pauseAgent, { params }).then(({ body }) => body)
  clock.forward(3600)
  await silence.round()
  t.deepEqual([(await shown()).silentSince, await told()], [null, []])
  await call(someone, agents.resumeAgent, { params }).then(({ body }) => body)
  clock.forward(3600)
  await silence.round()
  t.not((await shown()).silentSince, null)
  t.is((await told()).length, 1)
  // It is not shown as long as it does not matter.
  await call(someone, agents.pauseAgent, { params }).then(({ body }) => body)
  t.is((await shown()).silentSince, null)
})

test.serial('a delivery counts even if the process that accepted it died before it noted that', async (t) => {
  const { database, agent, clock, openProcess, silence, deliver, makeUsual, shown, told } = await openSilence(t)
  await makeUsual()
  clock.forward(20 * 3600)
  const lost = openProcess()
  t.is(await deliver(undefined, lost), 202)
  clock.forward(10 * 3600)
  await silence.round()
  t.deepEqual([(await shown()).silentSince, await told()], [null, []])
  const [habit] = await database('delivery_habits').where({ agentId: agent.id })
  t.like(habit, { deliveries: 21, quietSeconds: 2 * 20 * 3600 })
})

test.serial('a process that has just started waits for a quarter of an hour, because senders try again', async (t) => {
  const { clock, openProcess, makeUsual, told } = await openSilence(t)
  await makeUsual()
  clock.forward(5 * 86_400)
  const { silence } = openProcess()
  await silence.round()
  t.deepEqual(await told(), [])
  clock.forward(900)
  await silence.round()
  t.is((await told()).length, 1)
})

test.serial(
  'two processes note deliveries of many agents at once, and those of a deleted agent are left out',
  async (t) => {
    const { database, someone, agent, params, openProcess, first, deliver } = await openSilence(t)
    const other = openProcess()
    await Promise.all([deliver(), deliver(undefined, other), deliver()])
    await Promise.all([first.silence.flush(), other.silence.flush()])
    const habits = database('delivery_habits').where({ agentId: agent.id })
    const [habit] = await habits.clone()
    t.like(habit, { seenSequence: 3, dueAt: null })
    t.is(await deliver(), 202)
    await call(someone, agents.deleteAgent, { params })
    await habits.clone().delete()
    await first.silence.flush()
    t.deepEqual(await habits.clone(), [])
  },
)
