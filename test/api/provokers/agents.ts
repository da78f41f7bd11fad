import * as agents from '../../../api/agents.ts'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import * as billing from '../../../api/billing.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, customer, person, type Person } from '../../helpers/people.ts'
import { userIdOf } from '../../helpers/workspaces.ts'
import type { Recorder } from '../recorder.ts'
import { hoarder } from '../hoarder.ts'
import type { Spender } from '../spender.ts'
import { anotherAgent, type Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

export function agentsTable({ platform, owner, params }: Stage, { ask }: Recorder, spender: Spender): Table {
  const { agentId = '' } = params
  const create = (someone: Person, trigger: 'manual' | 'webhook') =>
    ask(someone, agents.createAgent, { body: { name: 'An agent', systemPrompt: 'Report.', trigger } })
  const start = (someone: Person, id: string) => ask(someone, agentRuns.startRun, { params: { agentId: id } })
  const plain = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' as const }
  return {
    createAgent: {
      done: () => create(owner, 'webhook'),
      TIER_REQUIRED: async () => create(await person(platform), 'webhook'),
      async AGENT_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(4, () => create(someone, 'manual'))
      },
      INVALID_URL: () => ask(owner, agents.createAgent, { body: { ...plain, callbackUrl: 'https://127.0.0.1/' } }),
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
      INVALID_URL: () =>
        ask(owner, agents.updateAgent, { params: { agentId }, body: { callbackUrl: 'http://callbacks.example.com' } }),
    },
    rotateCallbackSecret: {
      async done() {
        const { id } = await agentOf(owner, { callbackUrl: 'https://callbacks.example.com/' })
        return ask(owner, agentSecrets.rotateCallbackSecret, { params: { agentId: id } })
      },
    },
    deleteAgent: {
      done: async () => ask(owner, agents.deleteAgent, { params: { agentId: await anotherAgent(owner) } }),
    },
    pauseAgent: {
      done: async () => ask(owner, agents.pauseAgent, { params: { agentId: await anotherAgent(owner) } }),
    },
    resumeAgent: {
      done: () => ask(owner, agents.resumeAgent, { params: { agentId } }),
      async AGENT_LIMIT_REACHED() {
        const someone = await customer(platform)
        const newest = await repeat(4, () => anotherAgent(someone))
        await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
        await platform.services.sweep.attend(await userIdOf(someone))
        return ask(someone, agents.resumeAgent, { params: { agentId: newest } })
      },
    },
    startRun: {
      done: async () => start(owner, await anotherAgent(owner)),
      async AGENT_ALREADY_RUNNING() {
        const id = await anotherAgent(owner)
        return repeat(2, () => start(owner, id))
      },
      async FEATURE_LIMIT_REACHED() {
        const { someone, agent } = await hoarder(platform)
        return start(someone, agent.id)
      },
      async NO_CREDITS() {
        const { someone, agent } = await spender()
        return start(someone, agent.id)
      },
    },
    rotateSecret: {
      done: async () =>
        ask(owner, agentSecrets.rotateSecret, { params: { agentId: await anotherAgent(owner) }, body: {} }),
    },
    listAgentRuns: { done: () => ask(owner, agentRuns.listAgentRuns, { params: { agentId } }) },
  }
}
