import * as agents from '../../../api/agents.ts'
import * as runs from '../../../api/runs.ts'
import { agentOf, person, type Person } from '../../helpers/people.ts'
import type { Recorder } from '../recorder.ts'
import type { Spender } from '../spender.ts'
import { anotherAgent, type Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

export function agentsTable({ platform, owner, params }: Stage, { ask }: Recorder, spender: Spender): Table {
  const { agentId = '', runId = '' } = params
  const create = (someone: Person, trigger: 'manual' | 'webhook') =>
    ask(someone, agents.createAgent, { body: { name: 'An agent', systemPrompt: 'Report.', trigger } })
  const start = (someone: Person, id: string) => ask(someone, agents.startRun, { params: { agentId: id } })
  const cancel = (id: string) => ask(owner, runs.cancelRun, { params: { runId: id } })
  const startedRun = async () => (await start(owner, await anotherAgent(owner))).body.id
  return {
    createAgent: {
      done: () => create(owner, 'webhook'),
      TIER_REQUIRED: async () => create(await person(platform), 'webhook'),
      async AGENT_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(4, () => create(someone, 'manual'))
      },
    },
    listAgents: { done: () => ask(owner, agents.listAgents) },
    getAgent: { done: () => ask(owner, agents.getAgent, { params: { agentId } }) },
    updateAgent: {
      done: () => ask(owner, agents.updateAgent, { params: { agentId }, body: { name: 'Another name' } }),
      async TIER_REQUIRED() {
        const someone = await person(platform)
        const { id } = await agentOf(someone)
        return ask(someone, agents.updateAgent, { params: { agentId: id }, body: { trigger: 'webhook' } })
      },
    },
    deleteAgent: {
      done: async () => ask(owner, agents.deleteAgent, { params: { agentId: await anotherAgent(owner) } }),
    },
    startRun: {
      done: async () => start(owner, await anotherAgent(owner)),
      async AGENT_ALREADY_RUNNING() {
        const id = await anotherAgent(owner)
        return repeat(2, () => start(owner, id))
      },
      async NO_CREDITS() {
        const { someone, agent } = await spender()
        return start(someone, agent.id)
      },
    },
    listAgentRuns: { done: () => ask(owner, agents.listAgentRuns, { params: { agentId } }) },
    listRuns: { done: () => ask(owner, runs.listRuns) },
    getRun: { done: () => ask(owner, runs.getRun, { params: { runId } }) },
    listEvents: { done: () => ask(owner, runs.listEvents, { params: { runId } }) },
    cancelRun: {
      done: async () => cancel(await startedRun()),
      async RUN_NOT_CANCELLABLE() {
        const id = await startedRun()
        return repeat(2, () => cancel(id))
      },
    },
  }
}
