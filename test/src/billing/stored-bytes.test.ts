import test from 'ava'
import { createStoredBytes } from '../../../src/billing/stored-bytes.ts'
import { tierOf } from '../../../src/billing/tiers.ts'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as auth from '../../../api/auth.ts'
import * as vault from '../../../api/vault.ts'
import { fillStore } from '../../api/hoarder.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { eventually } from '../../helpers/eventually.ts'
import {
  agentOf,
  connectBadTools,
  customer,
  deliver,
  ended,
  person,
  webhookAgent,
  type Person,
} from '../../helpers/people.ts'
import type { Platform } from '../../helpers/platform.ts'
import { openStage, start } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const stage = forWholeFile(test, 'stored bytes', (t) => openStage(t))

const MiB = 1024 ** 2
const free = { tier: 'free', limits: tierOf('free').limits } as const
const idOf = async (someone: Person) => (await call(someone, auth.me)).body.id

async function open() {
  const { platform } = await stage()
  const { database } = platform.services
  const ownerId = await idOf(await person(platform))
  const clock = movableClock('2026-11-20T23:59:00Z')
  const openProcess = () => createStoredBytes({ database, clock, config: { runRetentionDays: 90 } })
  return {
    database,
    ownerId,
    clock,
    openProcess,
    rows: () => database('stored_bytes').where({ ownerId }).orderBy('day'),
  }
}

test('what several processes store counts together, and other owners have their own room', async (t) => {
  const { ownerId, openProcess } = await open()
  const { ownerId: other } = await open()
  const [one, two] = [openProcess(), openProcess()]
  one.note(ownerId, 100 * MiB)
  two.note(ownerId, 100 * MiB)
  two.note(other, 1)
  // The one that counts last knows of both.
  await two.flush()
  await one.flush()
  await t.notThrowsAsync(one.assertRoom(ownerId, free))
  one.note(ownerId, 56 * MiB - 1)
  await t.notThrowsAsync(one.assertRoom(ownerId, free))
  one.note(ownerId, 1)
  const { message } = await t.throwsAsync(one.assertRoom(ownerId, free), { code: 'FEATURE_LIMIT_REACHED' })
  t.regex(message, /^The payloads and tool results of 90 days may have 256 MiB in the tier free, and yours do\./)
  await one.flush()
  await t.throwsAsync(openProcess().assertRoom(ownerId, free), { code: 'FEATURE_LIMIT_REACHED' })
  await t.notThrowsAsync(one.assertRoom(other, free))
  await t.notThrowsAsync(one.assertRoom(ownerId, { tier: 'pro', limits: tierOf('pro').limits }))
})

// Serial, and so before the others: it forgets the bytes of every owner in the database.
test.serial('what came before the time that runs are kept does not count any more, and is forgotten', async (t) => {
  const { ownerId, clock, openProcess, rows } = await open()
  const bytes = openProcess()
  bytes.note(ownerId, 200 * MiB)
  await bytes.flush()
  clock.forward(120)
  bytes.note(ownerId, 100 * MiB)
  await bytes.flush()
  t.is((await rows()).length, 2, 'a day each')
  t.true(await bytes.isFull(ownerId, 256 * MiB))
  clock.forward(89 * 86_400 + 86_400)
  await bytes.purge()
  t.is((await rows()).length, 1)
  t.false(await openProcess().isFull(ownerId, 256 * MiB))
})

test('what cannot be written is counted later', async (t) => {
  const { database, ownerId, openProcess, rows } = await open()
  const bytes = openProcess()
  bytes.note(ownerId, 5)
  bytes.note('not an owner', 1)
  await t.throwsAsync(bytes.flush())
  t.deepEqual(await rows(), [])
  t.true(await bytes.isFull(ownerId, 5))
  await database('stored_bytes').where({ ownerId }).delete()
})

/** What is recorded of an owner, when it is recorded. */
const recorded = async ({ services }: Platform, someone: Person, atLeast: number) => {
  const ownerId = await idOf(someone)
  return eventually(10, `${atLeast} bytes are recorded`, async () => {
    const [row] = await services.database('stored_bytes').where({ ownerId }).sum({ bytes: 'bytes' })
    const bytes = Number(row?.['bytes'])
    return bytes >= atLeast ? bytes : undefined
  })
}

test('payloads, results of runs and results of direct calls count for their owner', async (t) => {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  const { id: vaultEntryId } = (
    await call(someone, vault.addToVault, { body: { url: sites.badTools.origin, token: 'any-token' } })
  ).body
  const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  await ended(someone, (await deliver(platform, agent, { text: 'a'.repeat(50_000) })).body.runId)
  const afterPayload = await recorded(platform, someone, 50_000)
  t.true(afterPayload > 51_000 && afterPayload < 53_000, 'the run and its instructions count, too')
  const text = 'b'.repeat(20_000)
  await call(someone, vault.callTool, { params: { entryId: vaultEntryId, toolName: 'echo_text' }, body: { text } })
  const afterCall = await recorded(platform, someone, afterPayload + 20_000)
  const caller = await agentOf(someone, {
    systemPrompt: `[[call echo_text {"text":"${'c'.repeat(10_000)}"}]]`,
    sites: [{ vaultEntryId }],
  })
  await ended(someone, (await start(someone, caller)).body.id)
  t.true((await recorded(platform, someone, afterCall + 10_000)) < 145_000, 'results, arguments and instructions')
})

test('who stores as much as the tier allows starts, sends and calls nothing more', async (t) => {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  const entryId = await connectBadTools(someone, sites)
  const agent = await webhookAgent(someone)
  await fillStore(platform, someone, 8 * 1024 * MiB)
  const params = { entryId, toolName: 'echo_text' }
  for (const { failure } of [
    await deliver(platform, agent, { number: 1 }),
    await start(someone, agent),
    await call(someone, vault.callTool, { params, body: { text: 'a' } }),
  ])
    t.is(failure.code, 'FEATURE_LIMIT_REACHED')
})

test('what is refused, or repeated under its key, is not counted again', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 60]]' })
  const payload = { text: 'a'.repeat(30_000) }
  const send = (body: unknown) => deliver(platform, agent, body, { 'idempotency-key': 'one' })
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => send(payload)))).map(({ status }) => status)
  t.deepEqual(statuses, [202, 202, 202, 202])
  t.is((await send({ text: 'b'.repeat(30_000) })).failure.code, 'VALIDATION_ERROR')
  const busy = await call(someone, agentRuns.startRun, {
    params: { agentId: agent.id },
    raw: JSON.stringify({ input: payload }),
  })
  t.is(busy.failure.code, 'AGENT_ALREADY_RUNNING')
  await platform.services.billing.storedBytes.flush()
  const bytes = await recorded(platform, someone, 30_000)
  t.true(bytes < 33_000, String(bytes))
})
