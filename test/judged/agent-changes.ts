import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as agentSecrets from '../../api/agent-secrets.ts'
import * as agents from '../../api/agents.ts'
import * as moves from '../../api/moves.ts'
import { call } from '../helpers/client.ts'
import type { Chance } from '../money/chance.ts'
import type { Book, Group, Known } from './book.ts'
import type { AgentFacts } from './states.ts'

/** Changes of one agent, by its owner. */
export interface AgentChange {
  book: Book
  group: Group
  agent: Known
  random: Chance
}

type Fields = NonNullable<Parameters<typeof call<string, undefined, typeof agents.updateAgent.body & {}, undefined>>[2]>

/** How much the clocks of other processes may differ from the test's, in milliseconds. */
const clockMargin = 5

const labelSchema = [{ name: 'label', type: 'string' as const, required: true }]

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

type Step = [what: string, body: Fields['body'] & {}, facts: Partial<AgentFacts>]

/** Updates an agent, and undoes it after a while. */
const inTurn =
  (...steps: Step[]) =>
  async ({ book, group, agent, random }: AgentChange): Promise<void> => {
    for (const [what, body, facts] of steps) {
      const send = () => call(group.someone, agents.updateAgent, { params: { agentId: agent.id }, body })
      await book.change(group, what, send, () => {
        agent.facts = { ...agent.facts, ...facts }
      })
      await delay(random.whole(100, 1000))
    }
  }

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

async function resumeAndPause(change: AgentChange): Promise<void> {
  const { book, group, agent, random } = change
  if (agent.isQuiet) return
  const send = () => call(group.someone, agents.resumeAgent, { params: { agentId: agent.id } })
  await book.change(group, 'agent resumed', send)
  await delay(random.whole(50, 500))
  await pause(change)
}

/** What is done at random to an agent. What should happen more often is listed more often. */
export const agentChanges: ((change: AgentChange) => Promise<void>)[] = [
  (change) => rotate(change, 0),
  (change) => rotate(change, 0),
  (change) => rotate(change, change.random.whole(1, 2)),
  move,
  replace,
  resumeAndPause,
  inTurn(
    ['schema set', { webhookSchema: labelSchema }, { needsLabel: true }],
    ['schema removed', { webhookSchema: null }, { needsLabel: false }],
  ),
  inTurn(
    ['proof github', { webhookProof: 'github' }, { proof: 'github' }],
    ['proof secret', { webhookProof: 'secret' }, { proof: 'secret' }],
  ),
  inTurn(
    ['trigger manual', { trigger: 'manual' }, { receives: false }],
    ['trigger webhook', { trigger: 'webhook' }, { receives: true }],
  ),
  inTurn(
    ['agent cap 0', { creditsPerMonth: 0 }, { isCapped: true }],
    ['agent cap raised', { creditsPerMonth: null }, { isCapped: false }],
  ),
]
