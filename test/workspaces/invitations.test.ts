import test from 'ava'
import { randomUUID } from 'node:crypto'
import * as auth from '../../api/auth.ts'
import * as invitations from '../../api/invitations.ts'
import * as members from '../../api/members.ts'
import type { InvitedRole } from '../../src/workspaces/invitation.ts'
import { firstIdAt, newId } from '../../src/ids.ts'
import { hashToken } from '../../src/secrets/opaque-tokens.ts'
import { call, type Client } from '../helpers/client.ts'
import { mailsTo, tokenTo } from '../helpers/mailbox.ts'
import { customer } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { inviteTo, join, memberOf, userIdOf, verified, workspaceOf } from '../helpers/workspaces.ts'

const house = sharedPlatform(test, 'idle')

const newAddress = () => `${randomUUID()}@example.com`

/** A workspace, and how its owner, or somebody else, invites to it. */
async function open() {
  const platform = await house()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner, 'Support')
  const invite = (email: string, role: InvitedRole = 'member', by: Client = owner) =>
    inviteTo(platform, by, workspaceId, { email, role })
  /** Invites, and returns the token that was mailed. */
  const invited = async (email: string, role?: InvitedRole, by?: Client) => {
    const { status } = await invite(email, role, by)
    if (status !== 201) throw new Error(`the invitation was answered ${status}`)
    return tokenTo(platform, email)
  }
  const params = { workspaceId }
  const membersOf = async () => (await call(owner, members.listMembers, { params })).body.items
  const listed = async () => (await call(owner, invitations.listInvitations, { params })).body.items
  const { database } = platform.services
  return { platform, database, owner, workspaceId, params, invite, invited, membersOf, listed }
}

const accept = (by: Client, token: string) => call(by, invitations.acceptInvitation, { body: { token } })
const outcomeOf = async (by: Client, token: string) => {
  const answer = await accept(by, token)
  return answer.status < 300 ? 'done' : answer.failure.code
}

test('whoever is invited accepts with the token from the mail, and has the role from then on', async (t) => {
  const { platform, owner, workspaceId, invited, invite, membersOf, listed } = await open()
  const grace = await verified(platform)
  const token = await invited(grace.email, 'admin')
  const [mail] = await mailsTo(platform, grace.email)
  const link = `${platform.url}/console/invitation#token=${token}`
  t.regex(mail?.text.replace(link, 'LINK') ?? '', new RegExp(`\\n\\nLINK\\n\\n[^]+\\n\\n${token}\\n\\n`))
  const { body: preview } = await call(platform, invitations.previewInvitation, { body: { token } })
  t.deepEqual(Object.keys(preview).toSorted(), ['expiresAt', 'inviter', 'workspace'])
  t.like(preview, { workspace: 'Support', inviter: owner.email })
  const accepted = await Promise.all(Array.from({ length: 6 }, () => accept(grace, token)))
  for (const { body } of accepted) t.like(body, { workspaceId, role: 'admin' }, 'at the same instant')
  t.like((await accept(grace, token)).body, { role: 'admin' }, 'it is safe to repeat')
  t.like((await membersOf())[0], { email: grace.email, role: 'admin' })
  t.is((await membersOf()).length, 2)
  t.deepEqual(await listed(), [])
  const { failure } = await invite(grace.email.toUpperCase())
  t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'email' }] }, 'who is a member is not invited again')
  t.is((await mailsTo(platform, grace.email)).filter(({ subject }) => subject.includes('invited')).length, 1)
})

test('only the mail has the token; it makes no account, and nobody accepts without a login', async (t) => {
  const { platform, database, invite, listed } = await open()
  const email = newAddress()
  const { body } = await invite(email.toUpperCase())
  const token = await tokenTo(platform, email)
  const stored = JSON.stringify([await database('invitations').where({ email }), await database('outbox_mails')])
  t.true(stored.includes(hashToken(token)))
  for (const text of [stored, JSON.stringify([body, await listed()]), platform.logs.join()])
    t.false(text.includes(token))
  t.deepEqual(await database('users').where({ email }), [])
  t.is(await outcomeOf({ url: platform.url }, token), 'UNAUTHORIZED')
  t.is((await call(platform, auth.login, { body: { email, password: token } })).failure.code, 'UNAUTHORIZED')
})

test('a token is of no use to another account, which learns nothing and uses nothing up', async (t) => {
  const { platform, workspaceId, invited, membersOf } = await open()
  const grace = await verified(platform)
  const token = await invited(grace.email)
  t.is(await outcomeOf(await verified(platform), token), 'PERMISSION_DENIED')
  // A member may be invited under another address; the invitation of somebody else is not used up by being a member.
  t.is(await outcomeOf(await memberOf(platform, workspaceId, 'viewer'), token), 'PERMISSION_DENIED')
  t.is((await membersOf()).length, 2)
  t.is(await outcomeOf(grace, token), 'done')
  const leaving = { params: { workspaceId, userId: await userIdOf(grace) } }
  t.is((await call(grace, members.removeMember, leaving)).status, 204)
  t.is(await outcomeOf(grace, token), 'INVALID_TOKEN', 'who has left does not come back by it')
  const again = await invited(grace.email, 'admin')
  await join(platform, workspaceId, grace, 'viewer')
  t.like((await accept(grace, again)).body, { role: 'viewer' }, 'who is a member by now keeps the role')
})

test('an invitation is void once it is replaced, withdrawn, seven days old, or the inviter may not invite any more', async (t) => {
  const { platform, database, owner, workspaceId, params, invite, invited, listed } = await open()
  const grace = await verified(platform)
  const first = await invited(grace.email, 'admin')
  const other = await open()
  const elsewhere = await other.invited(grace.email)
  const second = await invited(grace.email, 'viewer')
  t.is(await outcomeOf(grace, first), 'INVALID_TOKEN')
  const [listedOne, ...more] = await listed()
  t.deepEqual(more, [])
  const withdrawn = { ...params, invitationId: listedOne?.id ?? '' }
  const byOther = { params: { ...withdrawn, ...other.params } }
  t.is((await call(other.owner, invitations.withdrawInvitation, byOther)).failure.code, 'NOT_FOUND')
  t.is((await listed()).length, 1, 'nobody withdraws it at another workspace')
  t.is((await call(owner, invitations.withdrawInvitation, { params: withdrawn })).status, 204)
  t.is(await outcomeOf(grace, second), 'INVALID_TOKEN')
  const { failure } = await call(platform, invitations.previewInvitation, { body: { token: second } })
  t.is(failure.code, 'INVALID_TOKEN')

  const admin = await memberOf(platform, workspaceId, 'admin')
  const inviter = { ...params, userId: await userIdOf(admin) }
  const third = await invited(grace.email, 'member', admin)
  const change = (role: 'member' | 'admin') => call(owner, members.changeRole, { params: inviter, body: { role } })
  t.is((await change('member')).status, 200)
  t.is(await outcomeOf(grace, third), 'INVALID_TOKEN')
  t.is((await change('admin')).status, 200)
  const row = database('invitations').where({ tokenHash: hashToken(third) })
  const { expiresAt, createdAt } = (await row.clone().first()) as { expiresAt: Date; createdAt: Date }
  t.is(expiresAt.getTime() - createdAt.getTime(), 7 * 86_400_000)
  await row.clone().update({ expiresAt: new Date() })
  t.is(await outcomeOf(grace, third), 'TOKEN_EXPIRED')
  const account = database('accounts').where({ ownerId: await userIdOf(owner) })
  const limit = (workspaceMembers: number) => account.clone().update({ limits: JSON.stringify({ workspaceMembers }) })
  await limit(3)
  const last = newAddress()
  t.is((await invite(last)).status, 201, 'one that is over takes no room')
  t.is((await invite(newAddress())).failure.code, 'FEATURE_LIMIT_REACHED')
  t.is((await invite(last)).status, 201, 'nor does one that is replaced')
  await row.clone().update({ expiresAt })
  t.is((await call(owner, members.removeMember, { params: inviter })).status, 204)
  t.is(await outcomeOf(grace, third), 'INVALID_TOKEN')
  await join(platform, workspaceId, admin, 'admin')
  await limit(2)
  t.is(await outcomeOf(grace, third), 'FEATURE_LIMIT_REACHED', 'the workspace is full by now')
  await limit(3)
  t.is(await outcomeOf(grace, third), 'done')
  t.is(await outcomeOf(grace, elsewhere), 'done', 'that of another workspace stands')
})

test('an account whose address is not verified invites nobody, and is told what to do', async (t) => {
  const { platform, owner, params } = await open()
  const email = newAddress()
  const { failure } = await call(owner, invitations.inviteMember, { params, body: { email, role: 'admin' } })
  t.is(failure.code, 'PERMISSION_DENIED')
  t.regex(failure.error, /^Verify your email address first/)
  t.deepEqual(await mailsTo(platform, email), [])
})

test('a mail to a stranger quotes no name that could be a message, and names who invites', async (t) => {
  const { platform, database, owner, workspaceId, invite } = await open()
  for (const [name, words] of [
    ['Your account is locked: https://evil.test/login', 'a workspace at http'],
    ['Support', 'the workspace “Support” at http'],
  ] as const) {
    const email = newAddress()
    await database('workspaces').where({ id: workspaceId }).update({ name })
    await invite(email, 'viewer')
    const text = String((await mailsTo(platform, email))[0]?.text)
    t.true(text.startsWith(`${owner.email} has invited you to ${words}`), text)
    t.false(text.includes('evil'))
  }
})

test('the workspaces of one account send fifty invitations an hour together, and two hundred a day', async (t) => {
  const batches: [RegExp, ...[count: number, hoursAgo: number][]][] = [
    [/50 invitations an hour/, [49, 0.5], [60, 2]],
    [/200 invitations a day/, [199, 2], [60, 25]],
  ]
  for (const [words, ...sent] of batches) {
    const { database, owner, invite } = await open()
    const { id: workspaceId } = await workspaceOf(owner, 'Another')
    const invitedBy = await userIdOf(owner)
    for (const [count, hoursAgo] of sent) {
      const at = new Date(Date.now() - hoursAgo * 3_600_000)
      const row = { workspaceId, invitedBy, role: 'viewer', createdAt: at, expiresAt: at, endedAt: at }
      const rows = Array.from({ length: count }, () => {
        const [id, tokenHash] = [firstIdAt(at).slice(0, 13) + newId().slice(13), randomUUID()]
        return { ...row, id, tokenHash, email: newAddress() }
      })
      await database('invitations').insert(rows)
    }
    t.is((await invite(newAddress())).status, 201)
    const { code, error } = (await invite(newAddress())).failure
    t.is(code, 'RATE_LIMITED')
    t.regex(error, words)
  }
})

test('one is a member of a hundred workspaces at most, however many invitations one accepts at once', async (t) => {
  const [{ platform, database, owner, invited }, other] = [await open(), await open()]
  const grace = await verified(platform)
  const userId = await userIdOf(grace)
  const ids = Array.from({ length: 99 }, () => newId())
  const [now, payerId] = [new Date(), await userIdOf(owner)]
  await database('owners').insert(ids.map((id) => ({ id, createdAt: now, kind: 'workspace' })))
  await database('workspaces').insert(ids.map((id) => ({ id, createdAt: now, payerId, name: 'Full' })))
  const joined = { userId, role: 'member', joinedAt: now }
  await database('members').insert(ids.map((id) => ({ ...joined, id: newId(), workspaceId: id })))
  // Each of them is paid for by another account.
  const tokens = [await invited(grace.email), await other.invited(grace.email)]
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(grace, token)))
  t.deepEqual(outcomes.toSorted(), ['FEATURE_LIMIT_REACHED', 'done'])
  t.is((await database('members').where({ userId })).length, 100)
})
