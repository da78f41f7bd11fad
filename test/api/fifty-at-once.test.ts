// @promise limits
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as invitations from '../../api/invitations.ts'
import * as sessions from '../../api/sessions.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { later } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { Member } from '../../src/workspaces/member.ts'
import { Session } from '../../src/sessions/session.ts'
import { call, type Client } from '../helpers/client.ts'
import { tokenTo } from '../helpers/mailbox.ts'
import { customer, person, type Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { startMoreSites, startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { inviteTo, userIdOf, verified, workspaceOf } from '../helpers/workspaces.ts'

/* Fifty creations at the same moment, for every limit on a number of things: exactly as many are made as the limit has left. */

const stage = forWholeFile(test, 'fifty at once', async (t) => {
  const [ours, sites] = [await startSites(t), await startMoreSites(t, 10)]
  const allow = sites.map((origin) => new URL(origin).host)
  const platform = await startPlatform(t, { sites: { ...ours, allow }, env: { DATABASE_POOL: '20' } })
  return { platform, sites }
})

interface Limited {
  /** How many may still be made once it is ready. */
  left: number
  code: string
  /** What fifty ask for, each in its own way. */
  ready: (given: {
    platform: Platform
    sites: string[]
  }) => Promise<(nth: number) => Promise<{ status: number; body: unknown; failure: { code: string } }>>
}

const agent = { name: 'One of fifty', systemPrompt: 'Report.', trigger: 'manual' as const }

const limits: Record<string, Limited> = {
  agents: {
    left: 3,
    code: 'AGENT_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await person(platform)
      return () => call(someone, agents.createAgent, { body: agent })
    },
  },
  'agents of all workspaces that one account pays for': {
    left: 25,
    code: 'AGENT_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await customer(platform, 'team')
      const places = await Promise.all(Array.from({ length: 5 }, async () => (await workspaceOf(someone)).id))
      await madeBefore(platform, someone, 75)
      return (nth) => call(someone, agents.createAgent, { body: { ...agent, workspaceId: places[nth % 5] } })
    },
  },
  'connected sites': {
    left: 5,
    code: 'VAULT_LIMIT_REACHED',
    ready: async ({ platform, sites }) => {
      const someone = await person(platform)
      return (nth) => call(someone, vault.addToVault, { body: { url: sites[nth % 10] ?? '', token: 'any-token' } })
    },
  },
  'API keys': {
    left: 3,
    code: 'FEATURE_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await person(platform)
      return () => call(someone, apiKeys.createApiKey, { body: { name: 'One of fifty', scopes: ['read'] } })
    },
  },
  sessions: {
    left: 7,
    code: 'FEATURE_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await person(platform)
      await sessionsBefore(platform, someone, 993)
      return () => call(someone, sessions.createSession, { body: {} })
    },
  },
  'payment methods': {
    left: 20,
    code: 'FEATURE_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await person(platform)
      return () => call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } })
    },
  },
  workspaces: {
    left: 10,
    code: 'FEATURE_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await customer(platform, 'team')
      return () => call(someone, workspaces.createWorkspace, { body: { name: 'One of fifty' } })
    },
  },
  'members and invitations of a workspace': {
    left: 24,
    code: 'FEATURE_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await customer(platform, 'team')
      const { id } = await workspaceOf(someone)
      return () => inviteTo(platform, someone, id)
    },
  },
  'workspaces that one is a member of': {
    left: 4,
    code: 'FEATURE_LIMIT_REACHED',
    ready: async ({ platform }) => {
      const someone = await verified(platform)
      const tokens = await invitedTwelveTimes(platform, someone)
      await membershipsBefore(platform, someone, 96)
      return (nth) => call(someone, invitations.acceptInvitation, { body: { token: tokens[nth % 12] ?? '' } })
    },
  },
}

/** Rows of what was made before: making a thousand by requests would take long, and is not what is tested. */
async function madeBefore({ services }: Platform, someone: Person, count: number): Promise<void> {
  const { id: model } = (await call(someone, agents.createAgent, { body: agent })).body
  const row = await services.database('agents').where({ id: model }).first()
  const copies = Array.from({ length: count - 1 }, () => ({
    ...row,
    id: newId(),
    webhookSchema: null,
    outputSchema: null,
  }))
  await services.database('agents').insert(copies)
}

async function sessionsBefore({ services }: Platform, someone: Person, count: number): Promise<void> {
  await call(someone, sessions.createSession, { body: {} })
  const row = await services
    .database('sessions')
    .where({ ownerId: await userIdOf(someone) })
    .first()
  const copies = Array.from({ length: count - 1 }, () => ({ ...row, id: newId(), tokenHash: newId() }))
  await Session.query(services.database).insert(copies)
}

async function invitedTwelveTimes(platform: Platform, { email }: Person): Promise<string[]> {
  const tokens: string[] = []
  for (let nth = 0; nth < 12; nth += 1) {
    const owner = await customer(platform, 'team')
    await inviteTo(platform, owner, (await workspaceOf(owner)).id, { email })
    tokens.push(await tokenTo(platform, email))
  }
  return tokens
}

async function membershipsBefore({ services }: Platform, someone: Client, count: number): Promise<void> {
  const { database } = services
  const userId = await userIdOf(someone)
  const createdAt = later(services.clock.now(), -60)
  const ids = Array.from({ length: count }, () => newId())
  await database('owners').insert(ids.map((id) => ({ id, createdAt, kind: 'workspace' })))
  await database('workspaces').insert(ids.map((id) => ({ id, name: 'Before', payerId: userId, createdAt })))
  const members = ids.map((workspaceId) => ({
    id: newId(),
    workspaceId,
    userId,
    role: 'viewer' as const,
    joinedAt: createdAt,
  }))
  await Member.query(database).insert(members)
}

for (const [what, { left, code, ready }] of Object.entries(limits))
  test(`fifty who are made at once never exceed the limit of ${what}`, async (t) => {
    const add = await ready(await stage())
    const answers = await Promise.all(Array.from({ length: 50 }, (_, nth) => add(nth)))
    // Accepting an invitation again is told of the same membership.
    const made = new Set(answers.flatMap((answer) => (answer.status < 300 ? [JSON.stringify(answer.body)] : [])))
    const refused = answers.findIndex((answer) => answer.status >= 300 && answer.failure.code === code)
    t.is(made.size, left)
    t.not(refused, -1, 'the others are told of the limit')
    t.is((await add(refused)).failure.code, code)
  })
