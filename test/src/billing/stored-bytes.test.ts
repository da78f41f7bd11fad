import test from 'ava'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as vault from '../../../api/vault.ts'
import { createStoredBytes } from '../../../src/billing/stored-bytes.ts'
import { tierOf } from '../../../src/billing/tiers.ts'
import { fillStore } from '../../api/hoarder.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { eventually } from '../../helpers/eventually.ts'
import { newOwner } from '../../helpers/owner.ts'
import { person, type Person } from '../../helpers/people.ts'
import type { Platform } from '../../helpers/platform.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { userIdOf } from '../../helpers/workspaces.ts'

const platformOf = sharedPlatform(test)

const MiB = 1024 ** 2
const free = { tier: 'free', limits: tierOf('free').limits } as const

async function open() {
  const platform = await platformOf()
  const { database } = platform.services
  const ownerId = await userIdOf(await person(platform))
  const clock = movableClock('2026-11-20T23:59:00Z')
  const openProcess = () => createStoredBytes({ database, clock, config: { runRetentionDays: 90 } })
  const rows = () => database('stored_bytes').where({ ownerId })
  return { database, ownerId, clock, openProcess, rows }
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
  one.note(ownerId, 56 * MiB - 1)
  await t.notThrowsAsync(one.assertStorageLimit(ownerId, free))
  one.note(ownerId, 1)
  const { message } = await t.throwsAsync(one.assertStorageLimit(ownerId, free), { code: 'FEATURE_LIMIT_REACHED' })
  t.regex(message, /^The account has reached its storage limit of 256 MiB on the free tier .* from the last 90 days\./)
  await one.flush()
  await t.throwsAsync(openProcess().assertStorageLimit(ownerId, free), { code: 'FEATURE_LIMIT_REACHED' })
  await t.notThrowsAsync(one.assertStorageLimit(other, free))
  await t.notThrowsAsync(one.assertStorageLimit(ownerId, { tier: 'pro', limits: tierOf('pro').limits }))
})

test('what came before the time that runs are kept does not count any more, and is forgotten', async (t) => {
  const { ownerId, clock, openProcess, rows } = await open()
  const bytes = openProcess()
  for (const size of [200 * MiB, 100 * MiB]) {
    bytes.note(ownerId, size)
    await bytes.flush()
    clock.forward(120)
  }
  t.is((await rows()).length, 2, 'a day each')
  t.true(await bytes.isFull(ownerId, 256 * MiB))
  clock.forward(90 * 86_400 - 120)
  await bytes.purge()
  t.is((await rows()).length, 1)
  t.false(await openProcess().isFull(ownerId, 256 * MiB))
})

test('what cannot be written is counted later', async (t) => {
  const { ownerId, openProcess, rows } = await open()
  const bytes = openProcess()
  bytes.note(ownerId, 5)
  bytes.note('not an owner', 1)
  await t.throwsAsync(bytes.flush())
  t.deepEqual(await rows(), [])
  t.true(await bytes.isFull(ownerId, 5))
})

/** What is recorded of an owner, when it is recorded. */
const recorded = async ({ services }: Platform, someone: Person, atLeast: number) => {
  const ownerId = await userIdOf(someone)
  return eventually(10, `${atLeast} bytes are recorded`, async () => {
    const [row] = await services.database('stored_bytes').where({ ownerId }).sum({ bytes: 'bytes' })
    const bytes = Number(row?.['bytes'])
    return bytes >= atLeast ? bytes : undefined
  })
}

test('payloads, results of runs and results of direct calls count for their owner', async (t) => {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const site = await owner.site()
  const agent = await owner.webhookAgent({ systemPrompt: '[[say done]]' })
  await owner.ended((await owner.deliver(agent, { text: 'a'.repeat(50_000) })).body.runId)
  const afterPayload = await recorded(platform, owner, 50_000)
  t.true(afterPayload > 51_000 && afterPayload < 53_000, 'the run and its instructions count, too')
  const params = { entryId: site.vaultEntryId, toolName: 'echo_text' }
  await call(owner, vault.callTool, { params, body: { text: 'b'.repeat(20_000) } })
  const afterCall = await recorded(platform, owner, afterPayload + 20_000)
  await owner.follow(`[[call echo_text {"text":"${'c'.repeat(10_000)}"}]]`, site)
  t.true((await recorded(platform, owner, afterCall + 10_000)) < 145_000, 'results, arguments and instructions')
})

test('who stores as much as the tier allows starts, sends and calls nothing more', async (t) => {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent()
  const params = { entryId: (await owner.site()).vaultEntryId, toolName: 'echo_text' }
  const again = { params, body: { text: 'a' }, headers: { 'idempotency-key': 'one' } }
  const { callId } = (await call(owner, vault.callTool, again)).body
  await fillStore(platform, owner, 8 * 1024 * MiB)
  for (const { failure } of [
    await owner.deliver(agent, { number: 1 }),
    await owner.start(agent),
    await call(owner, vault.callTool, { params, body: { text: 'a' } }),
  ])
    t.is(failure.code, 'FEATURE_LIMIT_REACHED')
  t.is((await call(owner, vault.callTool, again)).body.callId, callId, 'what is on record is told all the same')
})

test('what is refused, or repeated under its key, is not counted again', async (t) => {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent({ systemPrompt: '[[sleep 60]]' })
  const payload = { text: 'a'.repeat(30_000) }
  const send = (body: unknown) => owner.deliver(agent, body, { 'idempotency-key': 'one' })
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => send(payload)))).map(({ status }) => status)
  t.deepEqual(statuses, [202, 202, 202, 202])
  t.is((await send({ text: 'b'.repeat(30_000) })).failure.code, 'VALIDATION_ERROR')
  const raw = JSON.stringify({ input: payload })
  const busy = await call(owner, agentRuns.startRun, { params: { agentId: agent.id }, raw })
  t.is(busy.failure.code, 'AGENT_ALREADY_RUNNING')
  await platform.services.billing.storedBytes.flush()
  const bytes = await recorded(platform, owner, 30_000)
  t.true(bytes < 33_000, String(bytes))
})
