// @promise at-once
import test, { type ExecutionContext } from 'ava'
import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { rotateSecret } from '../../api/agent-secrets.ts'
import * as agents from '../../api/agents.ts'
import { receiveWebhook } from '../../api/webhooks.ts'
import { call } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { deliver, type webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { holdBack, watchAdmissions } from './held-back.ts'

/* A delivery whose body arrives late is judged by the agent as it is by then, whether a process remembers it or not. */

const open = forWholeFile(test, 'slow deliveries', startPlatform)

type Agent = Awaited<ReturnType<typeof webhookAgent>>
type Fields = NonNullable<Parameters<typeof webhookAgent>[1]>
type Owner = Awaited<ReturnType<typeof newOwner>>

const payload = { n: 'seven' }

/** A secret that the agent gets while the body is under way. */
const nextSecret = 'a-secret-that-is-typed-in-later'

const update = (owner: Owner, agent: Agent, body: Fields) =>
  call(owner, agents.updateAgent, { params: { agentId: agent.id }, body })
const rotate = (owner: Owner, agent: Agent) =>
  call(owner, rotateSecret, { params: { agentId: agent.id }, body: { overlapSeconds: 0, secret: nextSecret } })
const remove = (owner: Owner, agent: Agent) => call(owner, agents.deleteAgent, { params: { agentId: agent.id } })

interface Case {
  title: string
  fields: Fields
  event?: 'push' | 'ping'
  signedWith?: 'next'
  change: (owner: Owner, agent: Agent) => Promise<{ status: number }>
  answer: [status: number, code?: string]
}

const cases: Case[] = [
  {
    title: 'a schema that it would have broken is dropped',
    fields: { webhookSchema: [{ name: 'n', type: 'number' }] },
    change: (owner, agent) => update(owner, agent, { webhookSchema: null }),
    answer: [202],
  },
  {
    title: 'a schema that it breaks is set',
    fields: {},
    change: (owner, agent) => update(owner, agent, { webhookSchema: [{ name: 'n', type: 'number' }] }),
    answer: [422, 'WEBHOOK_PAYLOAD_INVALID'],
  },
  {
    title: 'the cap on its credits is raised',
    fields: { creditsPerMonth: 0 },
    change: (owner, agent) => update(owner, agent, { creditsPerMonth: 100 }),
    answer: [202],
  },
  {
    title: 'the secret that signed it is set',
    fields: { webhookProof: 'github' },
    signedWith: 'next',
    change: rotate,
    answer: [202],
  },
  {
    title: 'the secret that signed a test is replaced',
    fields: { webhookProof: 'github' },
    event: 'ping',
    change: rotate,
    answer: [401, 'WEBHOOK_SECRET_INVALID'],
  },
  {
    title: 'the agent that a test addresses is deleted',
    fields: { webhookProof: 'github' },
    event: 'ping',
    change: remove,
    answer: [404, 'AGENT_NOT_FOUND'],
  },
]

async function headersOf({ fields, event = 'push', signedWith }: Case, agent: Agent, body: object) {
  if (fields.webhookProof !== 'github') return { 'x-webhook-secret': agent.webhookSecret }
  const secret = signedWith === 'next' ? nextSecret : agent.webhookSecret
  return {
    'x-github-delivery': 'a-delivery',
    'x-github-event': event,
    'x-hub-signature-256': await signForGitHub(secret, JSON.stringify(body)),
  }
}

async function judgedLate(t: ExecutionContext, one: Case, isRemembered: boolean): Promise<void> {
  const platform = await open()
  const owner = await newOwner(t, platform, 'team')
  const agent = await owner.webhookAgent(one.fields)
  // Refused or accepted, the process has read the agent, and remembers it.
  if (isRemembered) await deliver(platform, agent, {})
  const read = watchAdmissions(platform.services.database, /delivery_versions/)
  const headers = await headersOf(one, agent, payload)
  const held = holdBack(platform.url, receiveWebhook, { params: { agentId: agent.id }, headers, body: payload })
  // An unknown agent is read between two looks at its version.
  await read(isRemembered ? 0 : 2)
  t.true((await one.change(owner, agent)).status < 300)
  const { status, code } = await held.finish()
  t.deepEqual([status, code], [one.answer[0], one.answer[1]])
}

for (const one of cases)
  for (const isRemembered of [false, true])
    test.serial(
      `a delivery to ${isRemembered ? 'a remembered' : 'an unknown'} agent obeys the change if, before its body is complete, ${one.title}`,
      (t) => judgedLate(t, one, isRemembered),
    )
