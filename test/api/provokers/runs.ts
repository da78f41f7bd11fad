import * as agentReplays from '../../../api/agent-replays.ts'
import * as agents from '../../../api/agents.ts'
import * as runs from '../../../api/runs.ts'
import * as runEvents from '../../../api/run-events.ts'
import * as why from '../../../api/why.ts'
import { customer, deliver, webhookAgent, type Person } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'
import type { Recorder } from '../recorder.ts'
import { fillStore } from '../hoarder.ts'
import type { Spender } from '../spender.ts'
import { anotherAgent, type Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

export function runsTable({ platform, owner, params }: Stage, { ask }: Recorder, spender: Spender): Table {
  const { agentId = '', runId = '' } = params
  const { database } = platform.services
  const cancel = (id: string, someone: Person = owner) => ask(someone, runs.cancelRun, { params: { runId: id } })
  const skip = (id: string) => ask(owner, runs.skipRun, { params: { runId: id } })
  const replay = (id: string, someone: Person = owner) => ask(someone, runs.replayRun, { params: { runId: id } })
  const startedRun = async () => (await start(owner, { id: await anotherAgent(owner) })).body.id
  /** Replays the delivery of somebody whose account was changed since, as only time can. */
  async function replayAfter(change: Record<string, unknown>) {
    const someone = await customer(platform)
    const { body } = await deliver(platform, await webhookAgent(someone), { title: 'It is broken' })
    await cancel(body.runId, someone)
    const ownerId = database('users').select('id').where({ email: someone.email })
    await database('accounts').update(change).whereIn('ownerId', ownerId)
    return replay(body.runId, someone)
  }
  const replayAll = (someone: Person, id: string) =>
    ask(someone, agentReplays.replayDeliveries, { params: { agentId: id }, body: {} })
  async function failedDelivery() {
    const someone = await customer(platform)
    const agent = await webhookAgent(someone)
    const { body } = await deliver(platform, agent, {})
    await database('runs').update({ status: 'failed', endedAt: new Date() }).where({ id: body.runId })
    await database('agent_queues').update({ unfinished: 0 }).where({ agentId: agent.id })
    return { someone, agent }
  }
  async function replayAllAfter(change: Record<string, unknown>) {
    const { someone, agent } = await failedDelivery()
    const ownerId = database('users').select('id').where({ email: someone.email })
    await database('accounts').update(change).whereIn('ownerId', ownerId)
    return replayAll(someone, agent.id)
  }
  return {
    listRuns: { done: () => ask(owner, runs.listRuns) },
    getRun: { done: () => ask(owner, runs.getRun, { params: { runId } }) },
    listEvents: { done: () => ask(owner, runEvents.listEvents, { params: { runId } }) },
    whyAgent: { done: () => ask(owner, why.whyAgent, { params: { agentId } }) },
    whyRun: { done: () => ask(owner, why.whyRun, { params: { runId } }) },
    cancelRun: {
      done: async () => cancel(await startedRun()),
      async RUN_NOT_CANCELLABLE() {
        const id = await startedRun()
        return repeat(2, () => cancel(id))
      },
    },
    skipRun: {
      done: async () => skip(await startedRun()),
      async RUN_NOT_CANCELLABLE() {
        const id = await startedRun()
        return repeat(2, () => skip(id))
      },
    },
    previewReplay: { done: () => ask(owner, agentReplays.previewReplay, { params: { agentId } }) },
    replayDeliveries: {
      done: () => replayAll(owner, agentId),
      TIER_REQUIRED: () => replayAllAfter({ tier: 'free', currentPeriodEnd: null }),
      SUBSCRIPTION_PAST_DUE: () => replayAllAfter({ subscriptionStatus: 'past_due' }),
      NO_CREDITS: () => replayAllAfter({ balance: 0 }),
      async FEATURE_LIMIT_REACHED() {
        const { someone, agent } = await failedDelivery()
        await fillStore(platform, someone, 8 * 1024 ** 3)
        return replayAll(someone, agent.id)
      },
    },
    replayRun: {
      async done() {
        const id = await startedRun()
        await cancel(id)
        return replay(id)
      },
      AGENT_ALREADY_RUNNING: async () => replay(await startedRun()),
      async AGENT_NOT_FOUND() {
        const agentId = await anotherAgent(owner)
        const { id } = (await start(owner, { id: agentId })).body
        await ask(owner, agents.deleteAgent, { params: { agentId } })
        return replay(id)
      },
      TIER_REQUIRED: () => replayAfter({ tier: 'free', currentPeriodEnd: null }),
      SUBSCRIPTION_PAST_DUE: () => replayAfter({ subscriptionStatus: 'past_due' }),
      async WEBHOOK_PAYLOAD_INVALID() {
        const agent = await webhookAgent(owner)
        const { body } = await deliver(platform, agent, { title: 'It is broken' })
        await cancel(body.runId)
        const webhookSchema = [{ name: 'content', type: 'string' as const }]
        await ask(owner, agents.updateAgent, { params: { agentId: agent.id }, body: { webhookSchema } })
        return replay(body.runId)
      },
      async FEATURE_LIMIT_REACHED() {
        const someone = await customer(platform)
        const agent = await webhookAgent(someone)
        const { body } = await deliver(platform, agent, {})
        await ask(someone, runs.cancelRun, { params: { runId: body.runId } })
        await fillStore(platform, someone, 8 * 1024 ** 3)
        return replay(body.runId, someone)
      },
      async NO_CREDITS() {
        const { someone, runId: spent } = await spender()
        return replay(spent, someone)
      },
    },
  }
}
