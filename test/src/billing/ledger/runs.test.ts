import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as whyApi from '../../../../api/why.ts'
import { call } from '../../../helpers/client.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { agentOf, customer, ended, timelineOf } from '../../../helpers/people.ts'
import type { Platform } from '../../../helpers/platform.ts'
import { cancel, dataOf, spendAllBut, start, waiting } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

/* Steps of runs hold credits, and caps of agents bound them. */

const open = sharedPlatform(test)

const holdsOf = ({ services }: Platform, subjectId: string) =>
  services.database('credit_holds').where({ subjectId }).select<{ credits: number }[]>('credits')

// @promise overdraft
test('a step holds credits while its model is asked, and nothing is held after any end', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const [done, gone] = [
    await agentOf(someone, { systemPrompt: '[[say done]]' }),
    await agentOf(someone, { systemPrompt: '[[sleep 60]] [[say done]]' }),
  ]
  const { id: first } = (await start(someone, done)).body
  t.like(await ended(someone, first), { status: 'completed', credits: 1 })
  t.deepEqual(await holdsOf(platform, first), [])
  const [entry] = await platform.services.database('ledger_entries').where({ runId: first })
  t.like(entry, { held: 1, agentId: done.id })
  const { id: second } = (await start(someone, gone)).body
  await eventually(45, 'the step is under way', async () => (await holdsOf(platform, second)).length > 0 || undefined)
  await cancel(someone, second)
  t.is((await ended(someone, second)).status, 'cancelled')
  t.deepEqual(await holdsOf(platform, second), [])
})

test('what a killed worker has held is given back with the end of its run', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  const { id: subjectId } = (await start(someone, agent)).body
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)]
  const hold = { subjectId, ownerId: agent.ownerId, createdAt, expiresAt, tokens: 1, credits: 1, step: 1 }
  await platform.services.database('credit_holds').insert(hold)
  await cancel(someone, subjectId)
  t.is((await ended(someone, subjectId)).status, 'cancelled')
  t.deepEqual(await holdsOf(platform, subjectId), [])
})

test('of two runs with one credit, one begins its step; the other begins when that has ended without a charge', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const slow = await agentOf(someone, { systemPrompt: '[[sleep 600]] [[say done]]' })
  const other = await agentOf(someone, { systemPrompt: '[[say done]]' })
  const { id: before } = (await start(someone, other)).body
  await ended(someone, before)
  await spendAllBut(platform, before, 1)
  const { id: first } = (await start(someone, slow)).body
  await eventually(45, 'the step is under way', async () => (await holdsOf(platform, first)).length > 0 || undefined)
  const { id: second } = (await start(someone, other)).body
  const why = await eventually(45, 'it finds the credits held', async () => {
    const { body } = await call(someone, whyApi.whyRun, { params: { runId: second } })
    return body.causes.find(({ code }) => code === 'CREDITS_HELD')
  })
  t.regex(why.message, /other steps have reserved/)
  t.is(dataOf(await timelineOf(someone, second), 'step.started').length, 0)
  await cancel(someone, first)
  t.like(await ended(someone, second), { status: 'completed', credits: 1 })
})

test('a run whose agent has used up its cap waits, says which cap it is, and goes on when that is raised', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const agent = await agentOf(someone, { systemPrompt: '[[say done]]', creditsPerMonth: 1 })
  t.like(await ended(someone, (await start(someone, agent)).body.id), { status: 'completed' })
  const refused = (await start(someone, agent)).failure
  t.is(refused.code, 'NO_CREDITS')
  t.regex(refused.error, /monthly credit cap/)
  const cap = (creditsPerMonth: number | null) =>
    call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { creditsPerMonth } })
  t.like((await cap(2)).body.usage, { used: 1, cap: 2 })
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  const { id } = (await start(someone, agent)).body
  await cap(1)
  await call(someone, agents.resumeAgent, { params: { agentId: agent.id } })
  const why = await eventually(45, 'it is blocked', async () => {
    const { body } = await call(someone, whyApi.whyRun, { params: { runId: id } })
    return body.causes.find(({ code, since }) => code === 'CREDITS' && since !== null)
  })
  t.regex(why.message, /monthly credit cap/)
  t.regex(why.action, /PATCH \/agents/)
  await cap(null)
  t.like(await ended(someone, id), { status: 'completed' })
})

// @promise caps
test('a run waits before its next step once the cap of its agent is used up', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const systemPrompt = '[[call nothing {}]] [[then]] [[say done]]'
  const agent = await agentOf(someone, { systemPrompt, creditsPerMonth: 1 })
  const { id } = (await start(someone, agent)).body
  t.like(await waiting(someone, id), { waitingFor: null })
  const [wait] = dataOf(await timelineOf(someone, id), 'wait.started')
  t.regex(String(wait?.['note']), /The agent's monthly credit cap/)
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { creditsPerMonth: 50 } })
  t.like(await ended(someone, id), { status: 'completed' })
})
