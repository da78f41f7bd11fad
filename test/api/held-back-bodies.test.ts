// @promise at-once
import test, { type ExecutionContext } from 'ava'
import * as agentSecrets from '../../api/agent-secrets.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as members from '../../api/members.ts'
import * as sessions from '../../api/sessions.ts'
import * as transfers from '../../api/transfers.ts'
import { isOfOwner, needsOf } from '../../api/route/route-rules.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { adminOf, suspend } from '../helpers/admins.ts'
import { call, type Client } from '../helpers/client.ts'
import { resetTokenOf } from '../helpers/mailbox.ts'
import { customer, person, webhookAgent, type Person } from '../helpers/people.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, verify, workspaceOf } from '../helpers/workspaces.ts'
import { firstTime } from './first-time.ts'
import { holdBack, watchAdmissions } from './held-back.ts'
import { snapshot } from './snapshot.ts'
import { bodyWithin, makeThings, noteUses, openStage, paramsOf, validBodies } from './stage.ts'

/* Requests of which the head has come, and the body comes only once somebody has ended what permits them. */

const stage = forWholeFile(test, 'held back bodies', async (t) => {
  const opened = await openStage(t)
  const boss = await customer(opened.platform, 'enterprise')
  const { id: workspaceId } = await workspaceOf(boss)
  const { params } = await makeThings(opened.platform, boss, opened.sites, workspaceId)
  return { ...opened, boss, workspaceId, things: params }
})

type Opened = Awaited<ReturnType<typeof stage>>

const withBody = routes.filter(({ method, body, rawBody }) => method !== 'get' && (body ?? rawBody))

/** What permits these is in their bodies, so it is looked at when all is there. That of Stripe is a signature over it. */
const inTheBody =
  'register createFirstAdmin login refresh forgotPassword resetPassword verifyEmail previewInvitation receiveStripeEvent'.split(
    ' ',
  )

/** Somebody who makes requests, and by whom and how that is ended. */
interface Actor {
  headers: Record<string, string>
  /** The same user in another login. */
  elsewhere: Client
  someone: Person
  id: string
  /** What the paths name that is not of the stage. */
  params?: Record<string, string>
}

type Ending = [what: string, refusal: RegExp, end: (opened: Opened, actor: Actor) => Promise<unknown>]

/** A group of routes, whose callers are permitted by the same, and what ends it; what ends logins is with those about an account. */
interface Group {
  title: string
  /** The query that admits. */
  question: RegExp
  routes: AnyRoute[]
  actor: (opened: Opened) => Promise<Actor>
  endings: Ending[]
}

const again = async (someone: Person): Promise<Client> => {
  const { email, password } = someone
  const { body } = await call({ url: someone.url }, auth.login, { body: { email, password } })
  return { url: someone.url, token: body.accessToken }
}

async function actorOf(someone: Person, headers?: Record<string, string>): Promise<Actor> {
  const elsewhere = await again(someone)
  return {
    someone,
    elsewhere,
    id: await userIdOf(someone),
    headers: headers ?? { authorization: `Bearer ${someone.token}` },
  }
}

const keyOf = async (someone: Client, workspaceId: string) =>
  (
    await call(someone, apiKeys.createApiKey, {
      body: { workspaceId, name: 'A key', scopes: ['read', 'write', 'decide'] },
    })
  ).body

const newPassword = 'another password of mine'
const close: Ending = [
  'the account is closed',
  /TOKEN_REVOKED/,
  (_, { elsewhere, someone }) =>
    call(elsewhere, auth.deleteAccount, { body: { password: someone.password } }).then(assertEnded),
]
const suspension: Ending = [
  'the user is suspended',
  /PERMISSION_DENIED/,
  ({ platform }, { elsewhere }) => suspend(platform, elsewhere).then(assertEnded),
]
const ofLogin: Ending[] = [
  ['the login is ended by a logout', /TOKEN_REVOKED/, (_, { someone }) => call(someone, auth.logout).then(assertEnded)],
  [
    'all logins are ended',
    /TOKEN_REVOKED/,
    (_, { elsewhere }) => call(elsewhere, auth.logoutEverywhere).then(assertEnded),
  ],
  [
    'the password is changed',
    /TOKEN_REVOKED/,
    (_, { elsewhere, someone: { password } }) =>
      call(elsewhere, auth.changePassword, { body: { currentPassword: password, newPassword } }).then(assertEnded),
  ],
  [
    'the password is reset by mail',
    /TOKEN_REVOKED/,
    async ({ platform }, { someone: { email } }) =>
      platform.services.users.recovery.reset(
        { token: await resetTokenOf(platform, email), newPassword },
        { address: '192.0.2.1', userAgent: undefined },
      ),
  ],
  close,
]

const placeOf = ({ workspaceId }: Opened, { id }: Actor) => ({ workspaceId, userId: id })
const remove = (opened: Opened, actor: Actor) =>
  call(opened.boss, members.removeMember, { params: placeOf(opened, actor) }).then(assertEnded)
const demote = (opened: Opened, actor: Actor) =>
  call(opened.boss, members.changeRole, { params: placeOf(opened, actor), body: { role: 'viewer' } }).then(assertEnded)

function assertEnded({ status }: { status: number }): void {
  if (status >= 300) throw new Error(`What was to end was not ended: ${status}`)
}

async function handOver({ platform }: Opened, { someone, params }: Actor): Promise<void> {
  const of = { params: { workspaceId: params?.['workspaceId'] ?? '' } }
  const taker = await customer(platform, 'team')
  await verify(platform, taker)
  await join(platform, of.params.workspaceId, taker, 'viewer')
  const body = { userId: await userIdOf(taker), password: someone.password }
  assertEnded(await call(someone, transfers.offerWorkspace, { ...of, body }))
  assertEnded(await call(taker, transfers.acceptTransfer, of))
}

const own = withBody.filter((route) => !inTheBody.includes(route.name))
const named = (name: string) => own.filter((route) => route.name === name)
const ofWorkspace = own.filter((route) => isOfOwner(route) && needsOf(route) !== 'own')
const ofItsOwner = own.filter((route) => isOfOwner(route) && needsOf(route) === 'own')
const ofSession = ['sendChatMessage']
const ofSender = ['receiveWebhook']
const byLogin = /from "logins" inner join "users"/
const deleteKey: Ending = [
  'the key is deleted',
  /TOKEN_REVOKED/,
  async ({ boss, workspaceId }) => {
    const { items } = (await call(boss, apiKeys.listApiKeys, { query: { workspaceId } })).body
    for (const { id } of items.filter(({ name }) => name === 'A key'))
      assertEnded(await call(boss, apiKeys.deleteApiKey, { params: { apiKeyId: id } }))
  },
]

const groups: Group[] = [
  {
    title: 'of a member, by login',
    question: byLogin,
    routes: ofWorkspace,
    actor: async ({ platform, workspaceId }) => actorOf(await memberOf(platform, workspaceId, 'admin')),
    endings: [
      ['the member is removed', /NOT_FOUND/, remove],
      ['the role is lowered', /PERMISSION_DENIED/, demote],
    ],
  },
  {
    title: 'of a member, by API key',
    question: /from "api_keys" inner join "users"/,
    routes: ofWorkspace.filter(({ access }) => access === 'account'),
    async actor({ platform, workspaceId }) {
      const admin = await memberOf(platform, workspaceId, 'admin')
      return actorOf(admin, { authorization: `Bearer ${(await keyOf(admin, workspaceId)).key}` })
    },
    endings: [
      deleteKey,
      ['the member is removed', /TOKEN_REVOKED/, remove],
      ['the role is lowered', /PERMISSION_DENIED/, demote],
    ],
  },
  {
    title: 'of the owner of a workspace',
    question: byLogin,
    routes: ofItsOwner,
    async actor({ platform }) {
      const owner = await customer(platform, 'team')
      return { ...(await actorOf(owner)), params: { workspaceId: (await workspaceOf(owner)).id } }
    },
    endings: [['the workspace is handed over', /PERMISSION_DENIED/, handOver]],
  },
  {
    title: 'about an account',
    question: byLogin,
    routes: own.filter((route) => !isOfOwner(route) && ['login', 'account'].includes(route.access)),
    actor: async ({ platform }) => actorOf(await person(platform)),
    endings: [...ofLogin, suspension],
  },
  {
    title: 'of an admin',
    question: byLogin,
    routes: own.filter(({ access }) => access === 'admin'),
    actor: async ({ platform }) => actorOf(await adminOf(platform)),
    endings: [
      [
        'the user is no admin any more',
        /ADMIN_REQUIRED/,
        ({ platform }, { someone }) => setAdmin(platform.services.database, someone.email, false),
      ],
    ],
  },
  {
    title: 'in a chat session',
    question: /from "sessions"/,
    routes: ofSession.flatMap(named),
    async actor({ platform, workspaceId }) {
      const someone = await memberOf(platform, workspaceId, 'member')
      return actorOf(someone, withToken(await sessionOf(someone, { workspaceId })))
    },
    endings: [
      [
        'the session is ended',
        /INVALID_SESSION/,
        ({ platform }, { headers }) => call(platform, sessions.endCurrentSession, { headers }).then(assertEnded),
      ],
      ['the member is removed', /INVALID_SESSION/, remove],
      suspension,
    ],
  },
  {
    title: 'of the sender of a webhook',
    question: /from "agents"/,
    routes: ofSender.flatMap(named),
    async actor({ platform }) {
      const someone = await customer(platform)
      const agent = await webhookAgent(someone)
      const actor = await actorOf(someone, { 'x-webhook-secret': agent.webhookSecret })
      return { ...actor, id: agent.id }
    },
    endings: [
      [
        'the agent is deleted',
        /AGENT_NOT_FOUND/,
        (_, { someone, id }) => call(someone, agents.deleteAgent, { params: { agentId: id } }).then(assertEnded),
      ],
      [
        'the secret is replaced',
        /WEBHOOK_SECRET_INVALID/,
        (_, { someone, id }) =>
          call(someone, agentSecrets.rotateSecret, { params: { agentId: id }, body: { overlapSeconds: 0 } }).then(
            assertEnded,
          ),
      ],
      ['the account is closed', /TIER_REQUIRED/, close[2]],
      suspension,
    ],
  },
]

test('every route that takes a body is in a group', (t) => {
  const tried = [...groups.flatMap((group) => group.routes.map(({ name }) => name)), ...inTheBody]
  t.deepEqual([...new Set(tried)].toSorted(), withBody.map(({ name }) => name).toSorted())
})

/** The body as it would be carried out: with the password of whoever sends it, in the workspace. */
function bodyOf({ sites, workspaceId }: Opened, route: AnyRoute, { someone }: Actor): object {
  const valid = isOfOwner(route) ? bodyWithin(sites, route, workspaceId) : validBodies(sites)[route.name]
  if (!valid) throw new Error(`The stage has no body for ${route.name}.`)
  return JSON.parse(JSON.stringify(valid).replaceAll('a good password', someone.password)) as object
}

/** Of routes whose bodies are read, and whose resources are found, by the same code, the first one. */
function firstOfEachKind(all: AnyRoute[]): AnyRoute[] {
  const isNew = firstTime()
  return all.filter((route) => isNew(route.resource ?? route.owner, `${route.access} ${route.rawBody !== undefined}`))
}

async function carriedOut(t: ExecutionContext, group: Group, [, refusal, end]: Ending): Promise<void> {
  const opened = await stage()
  const { database } = opened.platform.services
  const actor = await group.actor(opened)
  await noteUses(opened)
  const admitted = watchAdmissions(database, group.question)
  const held = firstOfEachKind(group.routes).map((route) => {
    const known = { ...opened.things, ...actor.params, ...(group.title.includes('webhook') && { agentId: actor.id }) }
    const request = { params: paramsOf(route, known), headers: actor.headers, body: bodyOf(opened, route, actor) }
    return holdBack(opened.platform.url, route, request)
  })
  await admitted(held.length)
  await end(opened, actor)
  const before = await snapshot(database)
  for (const { name, finish } of held) {
    const { status, code } = await finish()
    t.true(status >= 400 && status < 500, `${name}: ${status}`)
    t.regex(code ?? '', refusal, name)
  }
  t.deepEqual(await snapshot(database), before)
}

for (const group of groups)
  for (const ending of group.endings)
    test.serial(`requests ${group.title} change nothing if, before they are complete, ${ending[0]}`, (t) =>
      carriedOut(t, group, ending),
    )
