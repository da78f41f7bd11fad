// @promise deletion
import test from 'ava'
import * as adminCredits from '../../api/admin-credits.ts'
import { startRun } from '../../api/agent-runs.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as invitations from '../../api/invitations.ts'
import * as notificationWebhooks from '../../api/notification-webhooks.ts'
import * as sessions from '../../api/sessions.ts'
import * as workspaces from '../../api/workspaces.ts'
import { createDeleteRows } from '../../src/deletion/delete-rows.ts'
import { newId } from '../../src/ids.ts'
import { historyOf, openSession, send } from '../chat/stage.ts'
import { makeThings } from '../api/stage.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { tokenTo } from '../helpers/mailbox.ts'
import { agentOf, connectBadTools, customer, ended, newcomer, person, type Person } from '../helpers/people.ts'
import { notificationOf } from '../helpers/notifications.ts'
import { cancel, happened, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { inviteTo, memberOf, userIdOf, verify, workspaceOf } from '../helpers/workspaces.ts'
import { emptied, graceIsOver, leave, openStage } from './stage.ts'
import { documentedFates, rowsWith, tablesOf } from './tables.ts'

/* What is left of an owner who was deleted, table by table. */

const stage = forWholeFile(test, 'deletions', (t) => openStage(t))

test('the documentation says what happens to every table when its owner is deleted', async (t) => {
  const { platform } = await stage()
  t.deepEqual([...documentedFates().keys()].toSorted(), await tablesOf(platform.services.database))
})

/** Somebody with one of everything, with a run and an answer under way, in a workspace or not. */
async function busyOwner(someone: Person, workspaceId?: string) {
  const { platform, sites } = await stage()
  const within = workspaceId === undefined ? {} : { workspaceId }
  const things = await makeThings(platform, someone, sites, workspaceId)
  const systemPrompt = `[[call echo_text {"text":"${secretName}"}]] [[then]] [[sleep 60]]`
  const given = [{ vaultEntryId: things.params['entryId'] ?? '' }]
  const callbackUrl = 'https://hooks.example.com/'
  const agent = await agentOf(someone, { ...within, name: secretName, systemPrompt, sites: given, callbackUrl })
  const params = { agentId: agent.id }
  const over = (await call(someone, startRun, { params, headers: { 'idempotency-key': secretName } })).body
  await cancel(someone, over.id)
  await ended(someone, over.id)
  const run = (await start(someone, agent)).body
  await happened(someone, run.id, 'tool.finished')
  const cron = { trigger: 'scheduled' as const, cron: '0 3 * * *', timeZone: 'Europe/Vienna' }
  const scheduled = await agentOf(someone, { ...within, ...cron })
  const fire = { agentId: scheduled.id, ownerId: scheduled.ownerId, outcome: 'missed', reason: 'LATE' }
  const at = new Date('2026-01-01')
  await platform.services.database('schedule_fires').insert({ ...fire, nominalAt: at, recordedAt: at })
  await platform.services.database('refused_deliveries').insert({ agentId: agent.id, items: '[]' })
  const habit = { firstAt: at, lastAt: at, deliveries: 1, seenSequence: 1, gaps: '[]' }
  await platform.services.database('delivery_habits').insert({ agentId: agent.id, ...habit })
  const receiver = { ...within, url: `https://hooks.example.com/${secretName}` }
  await call(someone, notificationWebhooks.setNotificationWebhook, { body: receiver }).then(({ body }) => body)
  const told = await notificationOf(platform, agent.ownerId)
  const session = await openSession(someone, { ...within, sites: given, onDisconnect: 'continue' })
  void send(session, { text: `[[say ${secretName}]] ${systemPrompt}`, stream: true }).catch(() => undefined)
  await eventually(20, 'it is answered', async () => (await historyOf(session)).items.length > 1 || undefined)
  // What nobody else's rows name.
  const { agentId, runId, entryId, callId, flowId, apiKeyId, sessionId, approvalId, appId } = things.params
  const ids = [agentId, runId, entryId, callId, flowId, apiKeyId, sessionId, approvalId, appId].flatMap(
    (id) => id ?? [],
  )
  const token = { kind: 'AccessToken', keyHash: newId(), appId, createdAt: at, expiresAt: new Date('2126-01-01') }
  await platform.services.database('app_sign_in_records').insert({ ...token, payload: '{}' })
  return { ids: [...ids, told.id, agent.id, over.id, run.id, scheduled.id, session.id], scheduled }
}

const secretName = 'Rumpelstilzchen'

/** The tables that hold these texts although they are said to be emptied. */
const leftIn = (found: Map<string, number>) => {
  const fates = documentedFates()
  return [...found.keys()].filter((table) => fates.get(table) !== 'kept')
}

test('of a deleted workspace only what is said to stay is left, and nothing of its owner or others goes', async (t) => {
  const { platform } = await stage()
  const { database, temporal } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner, 'Deep Thought')
  const other = await workspaceOf(owner, 'Marvin')
  const { ids, scheduled } = await busyOwner(owner, workspaceId)
  const kept = await busyOwner(owner, other.id)
  const before = await rowsWith(database, [other.id, ...kept.ids])
  t.true((await rowsWith(database, [workspaceId, ...ids])).size > 25)
  t.is((await call(owner, workspaces.deleteWorkspace, { params: { workspaceId } })).status, 204)
  await emptied(platform, workspaceId)
  const found = await rowsWith(database, [workspaceId, ...ids])
  t.deepEqual(leftIn(found), [])
  t.true(found.has('ledger_entries') && found.has('owners') && found.has('workspace_months'))
  const named = await rowsWith(database, ['Deep Thought'])
  t.deepEqual([...named.keys()], ['audit_entries'], 'the log of who has deleted it')
  t.false(await temporal.schedules.remove(scheduled.id), 'Temporal has no schedule of it')
  // What was under way until then may leave something, so there is a last look.
  const late = await notificationOf(platform, workspaceId)
  await database('deletions').where({ ownerId: workspaceId }).update({ nextAt: new Date() })
  const row = () => database('deletions').where({ ownerId: workspaceId }).first<{ endedAt: Date | null }>()
  await eventually(20, 'the last look is over', async () => (await row()).endedAt ?? undefined)
  t.deepEqual(await database('notifications').where({ id: late.id }), [])
  const after = await rowsWith(database, [other.id, ...kept.ids])
  for (const [table, count] of before) t.true((after.get(table) ?? 0) >= count || isPassing.has(table), table)
  t.is((await call(owner, auth.me)).status, 200)
})

/** Tables of which the owner here has no row, or none that names one of these things. */
const rare = new Set([
  'account_tokens',
  'agent_lost_sites',
  'billing_requests',
  'manifest_changes',
  'password_requests',
  'recovery_codes',
  'refresh_tokens',
  'second_factors',
  'sign_in_flows',
  'vault_refreshes',
  'workspace_providers',
])

/** Tables whose rows come and go while something is under way. */
const isPassing = new Set([
  'due_agents',
  'live_words',
  'live_watches',
  'outgoing_slots',
  'outgoing_waits',
  'callback_attempts',
])

test('of a deleted account only what is said to stay is left, its workspaces included, and its address is free', async (t) => {
  const { platform } = await stage()
  const { database } = platform.services
  const owner = await customer(platform, 'team')
  const { email } = owner
  const userId = await userIdOf(owner)
  const own = await busyOwner(owner)
  const { id: workspaceId } = await workspaceOf(owner, 'Slartibartfast')
  const shared = await busyOwner(owner, workspaceId)
  // In the workspace of somebody else, as a member and as one who is invited.
  const boss = await customer(platform, 'team')
  const { id: theirs } = await workspaceOf(boss)
  await verify(platform, owner)
  await inviteTo(platform, boss, theirs, { email, role: 'admin' })
  await call(owner, invitations.acceptInvitation, { body: { token: await tokenTo(platform, email) } })
  // As if the address had been another one then.
  await database('invitations').where({ acceptedBy: userId }).update({ email: 'former@example.com' })
  await call(owner, sessions.createSession, { body: { workspaceId: theirs } })
  await inviteTo(platform, owner, theirs)
  await inviteTo(platform, boss, (await workspaceOf(boss)).id, { email })
  const member = await memberOf(platform, workspaceId, 'member')
  const gift = { params: { userId }, body: { credits: 1, note: 'For Slartibartfast' } }
  t.is((await call(await adminOf(platform), adminCredits.giveCredits, gift)).status, 201)
  const all = await rowsWith(database, [userId, email, workspaceId, ...own.ids, ...shared.ids])
  const toEmpty = [...documentedFates()].flatMap(([table, fate]) => (fate === 'deleted' ? [table] : []))
  const untold = toEmpty.filter((table) => !all.has(table) && !isPassing.has(table) && !rare.has(table))
  t.deepEqual(untold, [], 'there is something to delete')
  t.is((await leave(owner)).status, 200)
  t.is((await call(owner, auth.me)).status, 200)
  await graceIsOver(platform, userId)
  await emptied(platform, userId)
  const found = await rowsWith(database, [userId, workspaceId, ...own.ids, ...shared.ids])
  t.deepEqual(leftIn(found), [])
  const name = email.split('@')[0] ?? ''
  t.deepEqual(await rowsWith(database, [email, name, 'Slartibartfast']), new Map())
  const acted = await database('audit_entries').where({ actorId: userId, ownerId: theirs })
  t.true(acted.length > 0)
  t.true(acted.every(({ address, userAgent }) => address === null && userAgent === null))
  const free = { tier: 'free', currentPeriodEnd: null, subscription: null, subscriptionStatus: null, customer: null }
  t.like(await database('accounts').where({ ownerId: userId }).first(), free)
  t.deepEqual(await database('credit_grants').where({ ownerId: userId }).whereNotNull('note'), [])
  t.is((await call(boss, sessions.listSessions, { query: { workspaceId: theirs } })).status, 200)
  t.is((await call(owner, auth.me)).failure.code, 'INVALID_TOKEN')
  t.is((await call(owner, auth.login, { body: { email, password: owner.password } })).failure.code, 'UNAUTHORIZED')
  t.is((await call(member, workspaces.listWorkspaces)).body.items.length, 0)

  const again = await newcomer(platform, email)
  await call(again, auth.acceptTerms)
  t.not(await userIdOf(again), userId)
  t.deepEqual((await call(again, workspaces.listWorkspaces)).body.items, [])
})

/** What must be stopped, revoked or detached, and who has it. */
const leftovers: Record<string, (someone: Person) => Promise<unknown>> = {
  agents: (someone) => agentOf(someone),
  vault_entries: async (someone) => connectBadTools(someone, (await stage()).sites),
  payment_methods: (someone) => call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }),
}

test('an owner is not closed while there is something that must be stopped, revoked or detached first', async (t) => {
  const { platform } = await stage()
  const { database } = platform.services
  const { clear, close } = createDeleteRows({ database })
  const ownerId = await userIdOf(await person(platform))
  t.true(await clear(ownerId, 'user', () => false))
  /** As if it had come in the last moment. */
  async function staysFor(table: string, column: 'ownerId' | 'payerId', someone: Person): Promise<void> {
    const from = await userIdOf(someone)
    const move = (one: string, other: string) =>
      database(table)
        .where({ [column]: one })
        .update({ [column]: other })
    await move(from, ownerId)
    t.false(await close(ownerId, 'user'), table)
    t.is(await move(ownerId, from), 1, table)
  }
  for (const [table, make] of Object.entries(leftovers)) {
    const someone = await person(platform)
    await make(someone)
    await staysFor(table, 'ownerId', someone)
  }
  const payer = await customer(platform, 'team')
  await workspaceOf(payer)
  await staysFor('workspaces', 'payerId', payer)
  t.true(await close(ownerId, 'user'))
  t.deepEqual(await database('users').where({ id: ownerId }), [])
})
