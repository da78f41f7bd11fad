import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as workspaces from '../../api/workspaces.ts'
import { newId } from '../../src/ids.ts'
import { call, type Client } from '../helpers/client.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { inviteTo, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* Who pays for a workspace, and what bounds it. */

const house = sharedPlatform(test, 'idle')

async function open() {
  const platform = await house()
  const { database, billing: services } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const ownerId = await userIdOf(owner)
  const charge = (credits: number, of = workspaceId, runId = newId()) =>
    database.transaction((trx) => services.credits.chargeStep(trx, { ownerId: of, runId, step: 1, credits, tokens: 0 }))
  const limit = (limits: string) => database('accounts').where({ ownerId }).update({ limits })
  return { platform, owner, workspaceId, ownerId, charge, limit }
}

/** How many requests succeeded at once, and the codes of the others. */
const outcomesOf = (answers: { status: number; failure: { code: string } }[]) => ({
  made: answers.filter(({ status }) => status === 201).length,
  refused: [...new Set(answers.flatMap((one) => (one.status === 201 ? [] : one.failure.code)))],
})

test("the account of a workspace's owner pays, and each sees what was used on whose behalf", async (t) => {
  const { platform, owner, workspaceId, ownerId, charge } = await open()
  const admin = await memberOf(platform, workspaceId, 'admin')
  const before = (await call(owner, billing.getBilling)).body.balance
  await charge(30)
  await charge(4, ownerId)
  t.is((await call(owner, billing.getBilling)).body.balance, before - 34)
  t.like((await call(admin, billing.getBilling, { query: { workspaceId } })).body, {
    tier: 'team',
    balance: before - 34,
    creditCents: null,
    tokens: null,
  })
  const listed = async (query: Record<string, string>, by = owner) =>
    (await call(by, billing.listLedger, { query })).body.items.map((entry) => entry.credits)
  t.deepEqual(await listed({ workspaceId }), [-30])
  t.deepEqual(await listed({ workspaceId }, admin), [-30])
  t.deepEqual(await listed({}), [-4, -30, 20_000, 200])
  const [used] = (await call(admin, billing.listLedger, { query: { workspaceId } })).body.items
  t.like(used, { balanceAfter: null, drawn: null }, 'what its owner has is no business of a workspace')
  t.is((await call(owner, billing.listLedger)).body.items[0]?.balanceAfter, before - 34)
})

test('a workspace uses no more than its cap in a month, and goes on once that is raised', async (t) => {
  const { platform, owner, workspaceId, charge } = await open()
  const agent = await agentOf(owner, { workspaceId })
  const cap = (creditsPerMonth: number | null) =>
    call(owner, workspaces.updateWorkspace, { params: { workspaceId }, body: { creditsPerMonth } })
  const before = { month: '2026-01-01', credits: 500 }
  await platform.services.database('workspace_months').insert({ workspaceId, ...before })
  t.is((await cap(10)).body.creditsPerMonth, 10)
  const runId = newId()
  for (const _ of ['once', 'again']) await charge(10, workspaceId, runId)
  t.is((await start(owner, agent)).failure.code, 'NO_CREDITS')
  t.is((await start(owner, await agentOf(owner))).status, 202, 'the account itself has credits')
  t.is((await call(owner, billing.getBilling, { query: { workspaceId } })).body.balance, 0)
  await cap(11)
  t.is((await start(owner, agent)).status, 202)
  const renaming = { params: { workspaceId }, body: { name: 'Sales' } }
  t.like((await call(owner, workspaces.updateWorkspace, renaming)).body, { name: 'Sales', creditsPerMonth: 11 })
  const used = { credits: 0, steps: 0, inputTokens: 0, outputTokens: 0 }
  const begin = () =>
    platform.services.database.transaction((trx) =>
      platform.services.billing.credits.hold(trx, { ownerId: workspaceId, subjectId: newId(), step: 1, used }),
    )
  const held = await Promise.all([begin(), begin(), begin()])
  t.deepEqual(held.toSorted(), [1, undefined, undefined], 'steps that begin at once share what is left')
  t.like((await cap(null)).body, { name: 'Sales', creditsPerMonth: null })
})

test('a workspace that is deleted makes room for another one', async (t) => {
  const { owner, workspaceId, limit } = await open()
  await limit('{"workspaces":1}')
  const make = () => call(owner, workspaces.createWorkspace, { body: { name: 'Another' } })
  t.is((await make()).failure.code, 'FEATURE_LIMIT_REACHED')
  await call(owner, workspaces.deleteWorkspace, { params: { workspaceId } })
  t.is((await make()).status, 201)
})

test('limits of the tier count what an account pays for in all, also between parallel requests', async (t) => {
  const { platform, owner, workspaceId, limit } = await open()
  const member = await memberOf(platform, workspaceId, 'member')
  const own = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' as const }
  const create = (index: number) =>
    index % 2 === 0
      ? call(owner, agents.createAgent, { body: own })
      : call(member, agents.createAgent, { body: { ...own, workspaceId } })
  await limit('{"agents":5}')
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => create(index)))
  t.deepEqual(outcomesOf(answers), { made: 5, refused: ['AGENT_LIMIT_REACHED'] })
  // A member's own things are paid for by the member.
  t.is((await call(member, agents.createAgent, { body: own })).status, 201)
})

test('API keys of a workspace count for whoever pays, and not for the member who has made them', async (t) => {
  const { platform, owner, workspaceId, limit } = await open()
  const admin = await memberOf(platform, workspaceId, 'admin')
  await limit('{"apiKeys":2}')
  const make = (by: Client, within: { workspaceId?: string } = {}) =>
    call(by, apiKeys.createApiKey, { body: { ...within, name: 'A key', scopes: ['read'] } })
  t.is((await make(admin, { workspaceId })).status, 201)
  const own = [await make(owner), await make(owner)]
  t.deepEqual(outcomesOf(own), { made: 1, refused: ['FEATURE_LIMIT_REACHED'] })
  t.is((await make(admin, { workspaceId })).failure.code, 'FEATURE_LIMIT_REACHED')
  // The free tier has three.
  const theirs = [await make(admin), await make(admin), await make(admin), await make(admin)]
  t.deepEqual(outcomesOf(theirs), { made: 3, refused: ['FEATURE_LIMIT_REACHED'] })
})

test('members and invitations of a workspace never exceed what the tier allows, however many at once', async (t) => {
  const { platform, owner, workspaceId, limit } = await open()
  await limit('{"workspaceMembers":4}')
  await memberOf(platform, workspaceId, 'viewer')
  const answers = await Promise.all(Array.from({ length: 6 }, () => inviteTo(platform, owner, workspaceId)))
  t.deepEqual(outcomesOf(answers), { made: 2, refused: ['FEATURE_LIMIT_REACHED'] })
})
