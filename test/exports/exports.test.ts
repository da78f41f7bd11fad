// @promise exports
import test from 'ava'
import * as auth from '../../api/auth.ts'
import * as exported from '../../api/exports.ts'
import * as notificationWebhooks from '../../api/notification-webhooks.ts'
import * as sessions from '../../api/sessions.ts'
import * as workspaceSignIn from '../../api/workspace-sign-in.ts'
import { newId } from '../../src/ids.ts'
import { DirectToolCall } from '../../src/tools/tool-call.ts'
import { makeThings } from '../api/stage.ts'
import { historyOf, openSession, send } from '../chat/stage.ts'
import { openStage } from '../deletion/stage.ts'
import { sightings } from '../helpers/canaries.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, deliver, ended, webhookAgent, type Person } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* What an export holds, and what it does not. */

const stage = forWholeFile(test, 'exports', (t) => openStage(t))

type Exported = Record<string, Record<string, unknown>[]>

/** Somebody's things, with a run that is over and a chat that was edited; and every secret of them. */
async function made(someone: Person, workspaceId?: string) {
  const { platform, sites } = await stage()
  const within = workspaceId === undefined ? {} : { workspaceId }
  const things = await makeThings(platform, someone, sites, workspaceId)
  const agent = await webhookAgent(someone, { ...within, systemPrompt: '[[say Forty-two.]]' })
  const { body: receipt } = await deliver(someone, agent, { question: 'What is six by nine?', big: 1 })
  await ended(someone, receipt.runId)
  await agentOf(someone, { ...within, trigger: 'scheduled', cron: '0 3 * * *', timeZone: 'Europe/Vienna' })
  const session = await openSession(someone, within)
  for (const text of ['[[say One.]]', undefined, '[[say Two.]]']) await (await send(session, { text })).text()
  const [said] = (await historyOf(session)).items
  await (await send(session, { text: '[[say Three.]]', messageId: said?.id })).text()
  const messages = (await historyOf(session, '?branch=all')).items.map(({ id }) => id)
  const receiver = { ...within, url: 'https://hooks.example.com/told' }
  const told = (await call(someone, notificationWebhooks.setNotificationWebhook, { body: receiver })).body.secret ?? ''
  const { password, token } = someone
  const { apiKey, readKey } = things
  const [webhook, otherWebhook] = [agent.webhookSecret, things.agent.webhookSecret]
  const sessions = { session: things.session.token, otherSession: session.token }
  const secrets = { webhook, otherWebhook, told, apiKey, readKey, ...sessions, password, token, site: 'any-token' }
  return { secrets, agent, runId: receipt.runId, chat: { id: session.id, messages }, params: things.params }
}

/** Everything that is stored as a secret, sealed or hashed. */
async function storedSecrets(): Promise<Record<string, string>> {
  const { database } = (await stage()).platform.services
  const columns = [
    ['users', 'password_hash'],
    ['refresh_tokens', 'token_hash'],
    ['api_keys', 'key_hash'],
    ['sessions', 'token_hash'],
    ['vault_entries', 'credential'],
    ['agents', 'webhook_secret'],
    ['notification_webhooks', 'secret'],
    ['payment_methods', 'reference'],
    ['oauth_flows', 'state_hash'],
    ['oauth_flows', 'ticket_hash'],
    ['invitations', 'token_hash'],
  ] as const
  const found: Record<string, string> = {}
  for (const [table, column] of columns) {
    const values: string[] = await database(table).whereNotNull(column).pluck(column)
    values.forEach((value, index) => Object.assign(found, { [`${table}.${column} ${index}`]: value }))
  }
  return found
}

test('the export of an account has everything of it and no secret, also while it can be restored', async (t) => {
  const someone = await customer((await stage()).platform, 'team')
  const { secrets, agent, runId, chat, params } = await made(someone)
  const { body } = await call(someone, exported.exportAccount)
  const document = body as unknown as Exported
  t.like(body, { format: 'switchyard-export', version: 1, complete: true, account: { email: someone.email } })
  const byId = (name: string, id: string) => document[name]?.find((one) => one['id'] === id) as Exported | undefined
  t.like(byId('agents', agent.id), { systemPrompt: '[[say Forty-two.]]', webhookSecret: null, fires: [] })
  const timeline = JSON.stringify(byId('runs', runId)?.['timeline'])
  t.true(timeline.includes('What is six by nine?') && timeline.includes('Forty-two.'))
  const run = byId('runs', runId) ?? {}
  t.is(run['timeline']?.length, Number(run['events'] ?? run['timeline']?.length))
  t.is(chat.messages.length, 7, 'those that were replaced, too')
  const exportedMessages = byId('sessions', chat.id)?.['messages']
  t.deepEqual(
    exportedMessages?.map(({ id }) => id),
    chat.messages,
  )
  t.is(byId('vault', params['entryId'] ?? '')?.['calls']?.length, 1)
  for (const name of [
    'ledger',
    'apiKeys',
    'documents',
    'approvals',
    'workspaces',
    'logins',
    'identities',
    'paymentMethods',
  ])
    t.true((document[name]?.length ?? 0) > 0, name)
  t.deepEqual(body.secondFactor, { enabledAt: null, recoveryCodesLeft: 0 })
  t.deepEqual(
    Object.keys(body.about).filter((name) => !(name in body)),
    [],
    'each member is there',
  )
  t.deepEqual(sightings({ ...secrets, ...(await storedSecrets()) }, [JSON.stringify(body)]), [])

  await call(someone, auth.deleteAccount, { body: { password: someone.password } })
  const later = (await call(someone, exported.exportAccount)).body as unknown as Exported
  t.deepEqual(later['runs']?.length, document['runs']?.length)
})

test('an export has all of a long chat, and all calls of sites that are not connected any more', async (t) => {
  const { platform } = await stage()
  const { database } = platform.services
  const someone = await customer(platform)
  const ownerId = await userIdOf(someone)
  const { id: sessionId } = await openSession(someone)
  const [now, text] = [new Date(), 'Hello.']
  const numbers = Array.from({ length: 101 }, (_, index) => index + 1)
  await database('chat_messages').insert(
    numbers.map((number) => ({ sessionId, number, id: newId(), createdAt: now, text })),
  )
  const times = { plannedAt: now, startedAt: now, endedAt: now }
  const made = {
    ownerId,
    tool: 'act',
    effect: 'once',
    status: 'unknown',
    attempts: 1,
    arguments: '{}',
    ...times,
  } as const
  const site = () => ({ id: newId(), vaultEntryId: newId(), siteOrigin: 'https://gone.example' })
  await DirectToolCall.query(database).insert(numbers.map(() => ({ ...made, ...site() })))
  const { sessions: chats = [], calls = [] } = (await call(someone, exported.exportAccount)).body
  t.deepEqual([chats.length, calls.length], [1, 101])
  const { messages } = chats[0] as { messages: { number: number }[] }
  t.deepEqual(
    messages.map(({ number }) => number),
    numbers,
  )
})

test('the export of a workspace has what is in it and nothing else, also once it is closed', async (t) => {
  const { platform, sites } = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const own = await agentOf(owner, { name: 'My own' })
  const { secrets, runId } = await made(owner, workspaceId)
  const admin = await memberOf(platform, workspaceId, 'admin')
  const member = await memberOf(platform, workspaceId, 'member')
  const provider = { issuer: sites.idp.origin, clientId: 'switchyard' }
  const clientSecret = 'the secret of the provider of a workspace'
  const named = { params: { workspaceId }, body: { ...provider, clientSecret } }
  t.is((await call(owner, workspaceSignIn.setWorkspaceSignIn, named)).status, 200)
  const ask = (by: Person) => call(by, exported.exportWorkspace, { params: { workspaceId } })
  const open = JSON.stringify((await ask(admin)).body)
  t.true(open.includes(runId) && open.includes(admin.email) && !open.includes(own.id))
  t.deepEqual(sightings({ ...secrets, clientSecret, ...(await storedSecrets()) }, [open]), [])
  t.is((await ask(member)).failure.code, 'PERMISSION_DENIED')
  const accounts = platform.services.database('accounts').where({ ownerId: await userIdOf(owner) })
  await accounts.update({ tier: 'free', currentPeriodEnd: null })
  t.is((await call(admin, sessions.createSession, { body: { workspaceId } })).failure.code, 'WORKSPACE_REQUIRED')
  const { body } = await ask(admin)
  t.like(body.signIn, { provider })
  t.is((body as unknown as Exported)['members']?.length, 3)
  t.true((body as unknown as Exported)['months']?.every((month) => Number(month['credits']) > 0))
})
