import * as accountMails from '../../api/account-mails.ts'
import * as auth from '../../api/auth.ts'
import * as invitations from '../../api/invitations.ts'
import * as workspaces from '../../api/workspaces.ts'
import { newId } from '../../src/ids.ts'
import type { Role } from '../../src/owners/roles.ts'
import type { InvitedRole } from '../../src/workspaces/invitation.ts'
import { User } from '../../src/users/user.ts'
import { Member } from '../../src/workspaces/member.ts'
import { call, type Client } from './client.ts'
import { tokenTo } from './mailbox.ts'
import { person, type Person } from './people.ts'
import type { Platform } from './platform.ts'

/** Creates a workspace for an owner with the team tier. */
export const workspaceOf = async (owner: Client, name = 'Support') =>
  (await call(owner, workspaces.createWorkspace, { body: { name } })).body

export const userIdOf = async (someone: Client) => (await call(someone, auth.me)).body.id

/** Adds a member directly, without an invitation. */
export async function join({ services }: Platform, workspaceId: string, someone: Client, role: Role): Promise<void> {
  const row = { id: newId(), workspaceId, userId: await userIdOf(someone), role, joinedAt: services.clock.now() }
  await Member.query(services.database).insert(row)
}

export async function memberOf(platform: Platform, workspaceId: string, role: Role): Promise<Person> {
  const someone = await person(platform)
  await join(platform, workspaceId, someone, role)
  return someone
}

/** Verifies a person's address directly. */
export async function verify({ services }: Pick<Platform, 'services'>, someone: Client): Promise<void> {
  const { database, clock } = services
  await User.query(database)
    .findById(await userIdOf(someone))
    .whereNull('emailVerifiedAt')
    .patch({ emailVerifiedAt: clock.now() })
}

/** Invites an address, by default a new one, from an account with a verified address. */
export const inviteTo = async (
  platform: Pick<Platform, 'services'>,
  by: Client,
  workspaceId: string,
  asked: { email?: string; role?: InvitedRole } = {},
) => {
  const { email = `${newId()}@example.com`, role = 'member' } = asked
  await verify(platform, by)
  return call(by, invitations.inviteMember, { params: { workspaceId }, body: { email, role } })
}

export async function verified(platform: Platform, email = `${newId()}@example.com`): Promise<Person> {
  const someone = await person(platform, email)
  const token = await tokenTo(platform, someone.email)
  await call(platform, accountMails.verifyEmail, { body: { token } })
  return someone
}
