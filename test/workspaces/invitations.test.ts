import test from 'ava'
import { randomUUID } from 'node:crypto'
import * as auth from '../../api/auth.ts'
import * as invitations from '../../api/invitations.ts'
import * as members from '../../api/members.ts'
import type { InvitedRole } from '../../src/workspaces/invitation.ts'
import { newId } from '../../src/ids.ts'
import { hashToken } from '../../src/secrets/opaque-tokens.ts'
import { call, type Client } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { mailsTo, tokenTo } from '../helpers/mailbox.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { inviteTo, memberOf, userIdOf, verified, workspaceOf } from '../helpers/workspaces.ts'

const house = sharedPlatform(test, 'idle')

async function open(tier = 'team') {
  const platform = await house()
  const owner = await customer(platform, tier)
  const workspace = await workspaceOf(owner, 'Support')
  return { platform, owner, workspaceId: workspace.id }
}

const invite = async (by: Client, workspaceId: string, email: string, role: InvitedRole = 'member', at?: Platform) =>
  inviteTo(at ?? (await house()), by, workspaceId, { email, role })

/** Invites, and returns the token that was mailed. */
async function invited(platform: Platform, by: Client, workspaceId: string, email: string, role?: InvitedRole) {
  const { status } = await invite(by, workspaceId, email, role, platform)
  if (status !== 201) throw new Error(`the invitation was answered ${status}`)
  return tokenTo(platform, email)
}

const accept = (by: Client, token: string) => call(by, invitations.acceptInvitation, { body: { token } })
const codeOf = async (asked: ReturnType<typeof accept>) => {
  const answer = await asked
  return answer.status < 300 ? 'done' : answer.failure.code
}
const membersOf = async (by: Client, workspaceId: string) =>
  (await call(by, members.listMembers, { params: { workspaceId } })).body.items

test('whoever is invited accepts with the token from the mail, and has the role from then on', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const grace = await verified(platform)
  const token = await invited(platform, owner, workspaceId, grace.email, 'admin')
  const { body: preview } = await call(platform, invitations.previewInvitation, { body: { token } })
  t.deepEqual(Object.keys(preview).toSorted(), ['expiresAt', 'inviter', 'workspace'])
  t.like(preview, { workspace: 'Support', inviter: owner.email })
  t.like((await accept(grace, token)).body, { workspaceId, role: 'admin' })
  t.like((await membersOf(owner, workspaceId))[0], { email: grace.email, role: 'admin' })
  t.deepEqual((await call(owner, invitations.listInvitations, { params: { workspaceId } })).body.items, [])
  t.like((await accept(grace, token)).body, { role: 'admin' }, 'it is safe to repeat')
  t.is((await membersOf(owner, workspaceId)).length, 2)
})

test('only the hash of a token is stored, and no answer but the mail has it', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const email = `${randomUUID()}@example.com`
  const { body } = await invite(owner, workspaceId, email)
  const token = await tokenTo(platform, email)
  const { database } = platform.services
  const stored = JSON.stringify([await database('invitations').where({ workspaceId }), await database('outbox_mails')])
  t.true(stored.includes(hashToken(token)))
  const listed = (await call(owner, invitations.listInvitations, { params: { workspaceId } })).body
  for (const text of [stored, JSON.stringify(body), JSON.stringify(listed), platform.logs.join()])
    t.false(text.includes(token))
})

test('a token is of no use to another account, which learns nothing and uses nothing up', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const grace = await verified(platform)
  const token = await invited(platform, owner, workspaceId, grace.email)
  const other = await verified(platform)
  t.is(await codeOf(accept(other, token)), 'PERMISSION_DENIED')
  // A member may be invited under another address; the invitation of somebody else is not used up by being a member.
  const viewer = await memberOf(platform, workspaceId, 'viewer')
  t.is(await codeOf(accept(viewer, token)), 'PERMISSION_DENIED')
  t.is((await membersOf(owner, workspaceId)).length, 2)
  t.is(await codeOf(accept(grace, token)), 'done')
})

test('an invitation makes no account and no key, and nobody accepts without a login', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const email = `${randomUUID()}@example.com`
  const token = await invited(platform, owner, workspaceId, email)
  const { database } = platform.services
  t.deepEqual(await database('users').where({ email }), [])
  t.is(await codeOf(accept({ url: platform.url }, token)), 'UNAUTHORIZED')
  const { failure } = await call(platform, auth.login, { body: { email, password: token } })
  t.is(failure.code, 'UNAUTHORIZED')
})

test('a new invitation of an address replaces the one before, and a withdrawn one is void', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const grace = await verified(platform)
  const first = await invited(platform, owner, workspaceId, grace.email, 'admin')
  const second = await invited(platform, owner, workspaceId, grace.email, 'viewer')
  t.is(await codeOf(accept(grace, first)), 'INVALID_TOKEN')
  const { items } = (await call(owner, invitations.listInvitations, { params: { workspaceId } })).body
  t.is(items.length, 1)
  const params = { workspaceId, invitationId: items[0]?.id ?? '' }
  t.is((await call(owner, invitations.withdrawInvitation, { params })).status, 204)
  t.is(await codeOf(accept(grace, second)), 'INVALID_TOKEN')
  t.is((await call(platform, invitations.previewInvitation, { body: { token: second } })).failure.code, 'INVALID_TOKEN')
})

test('an invitation is void once whoever invited may not invite any more', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const admin = await memberOf(platform, workspaceId, 'admin')
  const grace = await verified(platform)
  const token = await invited(platform, admin, workspaceId, grace.email)
  const params = { workspaceId, userId: await userIdOf(admin) }
  await call(owner, members.changeRole, { params, body: { role: 'member' } }).then(({ body }) => body)
  t.is(await codeOf(accept(grace, token)), 'INVALID_TOKEN')
  await call(owner, members.changeRole, { params, body: { role: 'admin' } }).then(({ body }) => body)
  t.is(await codeOf(accept(grace, token)), 'done')
  const heidi = await verified(platform)
  const other = await invited(platform, admin, workspaceId, heidi.email)
  await call(owner, members.removeMember, { params })
  t.is(await codeOf(accept(heidi, other)), 'INVALID_TOKEN')
})

test('an invitation is good for seven days', async (t) => {
  const clock = movableClock(new Date().toISOString())
  const platform = await startPlatform(t, { clock, env: { ACCESS_TOKEN_SECONDS: '3600' } })
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const grace = await verified(platform)
  const token = await invited(platform, owner, workspaceId, grace.email)
  clock.forward(7 * 86_400)
  const { body } = await call(platform, auth.login, { body: { email: grace.email, password: grace.password } })
  t.is(await codeOf(accept({ url: platform.url, token: body.accessToken }, token)), 'TOKEN_EXPIRED')
})

test('six who accept one invitation at the same instant are one member', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const grace = await verified(platform)
  const token = await invited(platform, owner, workspaceId, grace.email)
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => codeOf(accept(grace, token))))
  t.deepEqual(new Set(outcomes), new Set(['done']))
  t.is((await membersOf(owner, workspaceId)).length, 2)
})

test('the address of a member is not invited again, and an address is normalised', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const grace = await verified(platform)
  const token = await invited(platform, owner, workspaceId, grace.email.toUpperCase()).catch(() => undefined)
  t.is(token, undefined, 'the mail goes to the normalised address')
  t.is(await codeOf(accept(grace, await tokenTo(platform, grace.email))), 'done')
  const { failure } = await invite(owner, workspaceId, grace.email)
  t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'email' }] })
  t.is((await mailsTo(platform, grace.email)).filter(({ subject }) => subject.includes('invited')).length, 1)
})

test('an account whose address is not verified invites nobody, and is told what to do', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const email = `${randomUUID()}@example.com`
  const answer = await call(owner, invitations.inviteMember, {
    params: { workspaceId },
    body: { email, role: 'admin' },
  })
  t.like(answer.failure, { code: 'PERMISSION_DENIED' })
  t.regex(answer.failure.error, /^Verify your address first/)
  t.deepEqual(await mailsTo(platform, email), [])
  t.is((await invite(owner, workspaceId, email)).status, 201)
})

test('a mail to a stranger quotes no name that could be a message, and names who invites', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const { database } = platform.services
  const textTo = async (name: string) => {
    const email = `${randomUUID()}@example.com`
    await database('workspaces').where({ id: workspaceId }).update({ name })
    await invite(owner, workspaceId, email, 'viewer')
    return String((await mailsTo(platform, email))[0]?.text)
  }
  const text = await textTo('Your account is locked: https://evil.test/login')
  t.true(text.startsWith(`${owner.email} invites you to a workspace at http`))
  t.false(text.includes('evil'))
  t.true((await textTo('Support')).startsWith(`${owner.email} invites you to the workspace “Support” at http`))
})

test('the workspaces of one account send fifty invitations an hour together', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const other = (await workspaceOf(owner, 'Another')).id
  const { database } = platform.services
  const userId = await userIdOf(owner)
  const now = new Date()
  const rows = Array.from({ length: 49 }, () => ({
    id: newId(),
    workspaceId: other,
    invitedBy: userId,
    email: `${randomUUID()}@example.com`,
    role: 'viewer',
    tokenHash: randomUUID(),
    createdAt: now,
    expiresAt: now,
    endedAt: now,
  }))
  await database('invitations').insert(rows)
  t.is((await invite(owner, workspaceId, `${randomUUID()}@example.com`)).status, 201)
  t.is((await invite(owner, workspaceId, `${randomUUID()}@example.com`)).failure.code, 'RATE_LIMITED')
})
