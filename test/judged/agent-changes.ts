import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as agentSecrets from '../../api/agent-secrets.ts'
import * as agents from '../../api/agents.ts'
import * as moves from '../../api/moves.ts'
import { call } from '../helpers/client.ts'
import type { Chance } from '../money/chance.ts'
import type { Book, Group, Known } from './book.ts'

/** Changes of one agent, by its owner. */
export interface AgentChange {
  book: Book
  group: Group
  agent: Known
  random: Chance
}

type Fields = NonNullable<Parameters<typeof call<string, undefined, typeof agents.updateAgent.body & {}, undefined>>[2]>

/** Clocks of processes may differ from the test's by this much, in milliseconds. */
const clockMargin = 5

export const labelSchema = [{ name: 'label', type: 'string' as const, required: true }]

async function rotate({ book, group, agent }: AgentChange, overlapSeconds: number): Promise<void> {
  const secret = randomBytes(18).toString('hex')
  const { secret: former } = agent.facts
  agent.secrets = [secret, ...agent.secrets].slice(0, 3)
  const send = () =>
    call(group.someone, agentSecrets.rotateSecret, {
      params: { agentId: agent.id },
      body: { secret, overlapSeconds },
    })
  await book.change(
    group,
    overlapSeconds > 0 ? 'secret rotated with an overlap' : 'secret rotated',
    send,
    (_, span) => {
      const endsFrom = span.from + overlapSeconds * 1000 - clockMargin
      const endsTo = span.until + overlapSeconds * 1000 + clockMargin
      const overlap = overlapSeconds > 0 ? { secret: former, endsFrom, endsTo } : null
      agent.facts = { ...agent.facts, secret, former: overlap }
    },
  )
}

const update = ({ group, agent }: AgentChange, body: Fields['body'] & {}) =>
  call(group.someone, agents.updateAgent, { params: { agentId: agent.id }, body })

export const pause = (change: Pick<AgentChange, 'book' | 'group' | 'agent'>) =>
  change.book.change(change.group, 'agent paused', () =>
    call(change.group.someone, agents.pauseAgent, { params: { agentId: change.agent.id } }),
  )

/** Creates a webhook agent that receives deliveries from now on. */
export async function addAgent(
  { book, group }: Pick<AgentChange, 'book' | 'group'>,
  { isShared, isQuiet }: { isShared: boolean; isQuiet: boolean },
): Promise<void> {
  const body = { name: 'An agent', systemPrompt: '[[say done]]', trigger: 'webhook' as const }
  const place = isShared ? { workspaceId: group.workspaceId } : {}
  const send = () => call(group.someone, agents.createAgent, { body: { ...body, ...place } })
  await book.change(group, 'agent created', send, ({ id, webhookSecret }) => {
    const secret = webhookSecret ?? ''
    const facts = { receives: true, proof: 'secret' as const, secret, former: null, needsLabel: false, isCapped: false }
    group.agents.push({ id, isQuiet, secrets: [secret], facts: { ...facts, isShared } })
  })
}

/** Moves an agent to the other place of its account, while it is delivered to. Refused if it has unfinished runs. */
async function move({ book, group }: AgentChange): Promise<void> {
  for (const agent of group.agents.filter(({ isQuiet }) => isQuiet)) {
    const isShared = !agent.facts.isShared
    const body = { agentIds: [agent.id], ...(isShared && { workspaceId: group.workspaceId }) }
    agent.isHot = true
    await book.change(
      group,
      'agent moved',
      () => call(group.someone, moves.moveThings, { body }),
      () => {
        agent.facts = { ...agent.facts, isShared }
      },
    )
    await delay(50)
    agent.isHot = false
  }
}

async function replace({ book, group, agent }: AgentChange): Promise<void> {
  const send = () => call(group.someone, agents.deleteAgent, { params: { agentId: agent.id } })
  const { isShared } = agent.facts
  await book.change(group, 'agent deleted', send, () => {
    agent.facts = { ...agent.facts, receives: false }
  })
  await delay(200)
  group.agents = group.agents.filter(({ id }) => id !== agent.id)
  await addAgent({ book, group }, { isShared, isQuiet: agent.isQuiet })
}

/** What is done at random to an agent. What should happen more often is listed more often. */
export const agentChanges: ((change: AgentChange) => Promise<unknown>)[] = [
  (change) => rotate(change, 0),
  (change) => rotate(change, 0),
  (change) => rotate(change, change.random.whole(1, 2)),
  move,
  move,
  replace,

  async (change) => {
    if (change.agent.isQuiet) return
    const { book, group, agent } = change
    const send = () => call(group.someone, agents.resumeAgent, { params: { agentId: agent.id } })
    await book.change(group, 'agent resumed', send)
    await delay(100)
    await pause(change)
  },

  async (change) => {
    const needsLabel = !change.agent.facts.needsLabel
    const send = () => update(change, { webhookSchema: needsLabel ? labelSchema : null })
    await change.book.change(change.group, needsLabel ? 'schema set' : 'schema removed', send, () => {
      change.agent.facts = { ...change.agent.facts, needsLabel }
    })
  },

  async (change) => {
    const proof = change.agent.facts.proof === 'secret' ? ('github' as const) : ('secret' as const)
    const send = () => update(change, { webhookProof: proof })
    await change.book.change(change.group, `proof ${proof}`, send, () => {
      change.agent.facts = { ...change.agent.facts, proof }
    })
  },

  async (change) => {
    for (const trigger of ['manual', 'webhook'] as const) {
      await change.book.change(
        change.group,
        `trigger ${trigger}`,
        () => update(change, { trigger }),
        () => {
          change.agent.facts = { ...change.agent.facts, receives: trigger === 'webhook' }
        },
      )
      await delay(change.random.whole(20, 200))
    }
  },

  async (change) => {
    for (const creditsPerMonth of [0, null]) {
      const what = creditsPerMonth === 0 ? 'agent cap 0' : 'agent cap raised'
      await change.book.change(
        change.group,
        what,
        () => update(change, { creditsPerMonth }),
        () => {
          change.agent.facts = { ...change.agent.facts, isCapped: creditsPerMonth === 0 }
        },
      )
      await delay(change.random.whole(20, 200))
    }
  },
]
