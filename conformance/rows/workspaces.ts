import { randomUUID } from 'node:crypto'
import { accepted, assert, refused } from '../expect.ts'
import { changeRole, createWorkspace, removeMember, storyOf, workspaceOf } from '../member.ts'
import { downgraded } from '../paying.ts'
import type { Row } from '../row.ts'

export const workspaceRows: Row[] = [
  {
    id: 'codes/WORKSPACE_REQUIRED',
    ofMoney: true,
    says: 'operation requires a team-plan workspace',
    run: async ({ client, people }) =>
      refused(await createWorkspace(client, (await people.free()).token), 'WORKSPACE_REQUIRED'),
  },
  {
    id: 'limits/Team plan',
    ofMoney: true,
    says: 'required for workspace operations',
    needs: ['cards', 'admin'],
    async run(stage) {
      const answer = await createWorkspace(stage.client, (await stage.people.free()).token)
      const evidence = refused(answer, 'WORKSPACE_REQUIRED')
      await workspaceOf(stage)
      const { read, inWorkspace } = await downgraded(stage)
      accepted(read)
      for (const one of inWorkspace) refused(one, 'WORKSPACE_REQUIRED')
      return `free: ${evidence}; team: 201; after a downgrade: the workspace is read, and ${inWorkspace.length} operations are refused`
    },
  },
  {
    id: 'codes/WORKSPACE_NOT_FOUND',
    says: 'no workspace with the given identifier (of other owners see owners/Things)',
    async run({ client, people }) {
      const { token } = await people.free()
      const id = randomUUID()
      const evidence = refused(await client.send({ url: `/workspaces/${id}`, token }), 'WORKSPACE_NOT_FOUND')
      refused(await client.send({ url: `/workspaces/${id}/members`, token }), 'WORKSPACE_NOT_FOUND')
      refused(await client.send({ url: `/agents?workspaceId=${id}`, token }), 'WORKSPACE_NOT_FOUND')
      return `${evidence}; also for its members, and for the agents there`
    },
  },
  {
    id: 'codes/PERMISSION_DENIED',
    says: 'lacking the required permission in the workspace',
    needs: ['cards', 'admin'],
    async run(stage) {
      const { viewing } = await storyOf(stage)
      accepted(viewing.read)
      const evidence = viewing.refused.map((answer) => refused(answer, 'PERMISSION_DENIED'))
      return `${evidence[0]}, for a viewer who makes, starts, changes or deletes an agent there, opens a chat, or renames it`
    },
  },
  {
    id: 'codes/MEMBER_NOT_FOUND',
    says: 'the user is not a member of the workspace',
    needs: ['cards'],
    async run(stage) {
      const unknown = refused(await changeRole(stage, randomUUID(), 'viewer'), 'MEMBER_NOT_FOUND')
      const stranger = await stage.people.spender()
      refused(await changeRole(stage, stranger.id, 'viewer'), 'MEMBER_NOT_FOUND')
      refused(await removeMember(stage, stranger.id), 'MEMBER_NOT_FOUND')
      return `${unknown}; also for a user who is none, and to remove one`
    },
  },
  {
    id: 'codes/ROLE_CHANGE_FORBIDDEN',
    says: "the owner's role cannot be changed, and nobody is made the owner",
    needs: ['cards', 'admin'],
    async run(stage) {
      const owner = await stage.people.owner()
      const evidence = refused(await changeRole(stage, owner.id, 'viewer'), 'ROLE_CHANGE_FORBIDDEN')
      refused(await removeMember(stage, owner.id), 'ROLE_CHANGE_FORBIDDEN')
      const { id } = await workspaceOf(stage)
      const { role } = accepted(await stage.client.send({ url: `/workspaces/${String(id)}`, token: owner.token }))
      assert(role === 'owner', `the owner has become ${String(role)}`)
      refused((await storyOf(stage)).crowned, 'ROLE_CHANGE_FORBIDDEN')
      return `${evidence}, for the owner as a viewer, and for a member as the owner`
    },
  },
  {
    id: 'workspaces/Membership',
    says: 'a member may do what the role says, and nothing once the membership has ended',
    needs: ['cards', 'admin'],
    async run(stage) {
      const { building, leaving } = await storyOf(stage)
      for (const answer of building) accepted(answer, 201)
      accepted(leaving.removed, 204)
      for (const [code, answers] of leaving.refused) for (const answer of answers) refused(answer, code)
      return 'as a member: an agent and a chat; once removed, workspace, agent and chat are refused'
    },
  },
]
