import type { ExecutionContext } from 'ava'
import { openOwner, startRunOf, untilExpired } from '../crash/refresh-stage.ts'
import type { Stage } from '../crash/stage.ts'
import * as vault from '../../api/vault.ts'
import { openSession, partsOf, send } from '../chat/stage.ts'
import { asked } from '../helpers/approvals.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, connectBadTools, customer, deliver, ended, webhookAgent, type Person } from '../helpers/people.ts'
import { firesOf, scheduledAgent } from '../helpers/schedules.ts'
import { cancel, start } from '../helpers/runs.ts'

/**
 * A bit of everything that metrics tell of, through the given API processes: deliveries that are accepted, repeated and
 * refused, runs that succeed, fail and wait, calls of each outcome, a chat, a direct call, a refresh and a scheduled time.
 */
export async function tellStory(t: ExecutionContext, stage: Stage, urls: [string, string]): Promise<void> {
  const someone = await customer(stage.platform)
  const vaultEntryId = await connectBadTools(someone, stage.sites)
  const sites = [{ vaultEntryId }]
  const others = urls.map((url) => ({ ...someone, url }))
  const everyMinute = await scheduledAgent(others[0]!, { cron: '* * * * *', systemPrompt: '[[say done]]' })
  await Promise.all([
    ...others.map((one) => deliveries(t, one)),
    calls(t, others[0]!, sites),
    waits(others[1]!, vaultEntryId),
    badEnds(t, others[0]!),
    chat(t, others[1]!),
    directCalls(others[0]!, vaultEntryId),
    refresh(t, stage, others[0]!),
  ])
  await eventually(90, 'a scheduled time has come', async () => (await firesOf(others[1]!, everyMinute))[0])
}

async function deliveries(t: ExecutionContext, someone: Person): Promise<void> {
  const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  const sent = Array.from({ length: 12 }, (_, n) => deliver(someone, agent, { n }, { 'idempotency-key': `${n}` }))
  const runs = (await Promise.all(sent)).map(({ body }) => body.runId)
  t.true(runs.includes((await deliver(someone, agent, { n: 0 }, { 'idempotency-key': '0' })).body.runId))
  const refused = await deliver(someone, { id: agent.id, webhookSecret: 'another one' }, {})
  t.is(refused.failure.code, 'WEBHOOK_SECRET_INVALID')
  for (const runId of runs) t.is((await ended(someone, runId, 120)).status, 'completed')
}

async function calls(t: ExecutionContext, someone: Person, sites: { vaultEntryId: string }[]): Promise<void> {
  const scripts = [
    'flaky_read {"failures":0}',
    'slow_idempotent {"seconds":0}',
    'slow_once {"seconds":0}',
    'fail {}',
    'reset {}',
  ]
  const systemPrompt = `${scripts.map((one) => `[[call ${one}]]`).join('')} [[say done]]`
  const { id } = (await start(someone, await agentOf(someone, { systemPrompt, sites }))).body
  t.is((await ended(someone, id, 120)).toolCalls, scripts.length)
}

async function badEnds(t: ExecutionContext, someone: Person): Promise<void> {
  const failing = (await start(someone, await agentOf(someone, { systemPrompt: '[[fail 400]]' }))).body.id
  t.is((await ended(someone, failing, 60)).reason, 'MODEL_ERROR')
  const long = (await start(someone, await agentOf(someone, { systemPrompt: '[[sleep 60]]' }))).body.id
  await cancel(someone, long)
  t.is((await ended(someone, long, 60)).status, 'cancelled')
}

/** A run that waits for its owner, to the end. */
async function waits(someone: Person, vaultEntryId: string): Promise<void> {
  const asking = [{ vaultEntryId, askFirst: ['slow_once'] }]
  const agent = await agentOf(someone, { systemPrompt: '[[call slow_once {"seconds":0}]]', sites: asking })
  await start(someone, agent)
  await asked(someone)
}

async function chat(t: ExecutionContext, someone: Person): Promise<void> {
  const session = await openSession(someone)
  t.true((await partsOf(t, await send(session, { text: 'Hello.', stream: true }))).length > 0)
}

async function directCalls(someone: Person, entryId: string): Promise<void> {
  for (const [toolName, input] of Object.entries({ slow_once: { seconds: 0 }, fail: {} })) {
    await call(someone, vault.callTool, { params: { entryId, toolName }, body: input })
  }
}

async function refresh(t: ExecutionContext, stage: Stage, { url }: Person): Promise<void> {
  const owner = await openOwner(stage, 1)
  await untilExpired(stage, [owner])
  const runId = await startRunOf({ ...owner, someone: { ...owner.someone, url } })
  t.truthy(await ended(owner.someone, runId, 60))
}
