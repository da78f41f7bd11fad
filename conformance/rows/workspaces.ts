import { randomUUID } from 'node:crypto'
import type { Client, Json } from '../client.ts'
import { accepted, assert, refused } from '../expect.ts'
import { Untried } from '../deviation.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

const createWorkspace = (client: Client, token: string) =>
  client.send({ method: 'POST', url: '/workspaces', token, body: { name: 'Conformance' } })

export const workspaceOf = (stage: Stage): Promise<Json> =>
  stage.once('workspace', async () =>
    accepted(await createWorkspace(stage.client, (await stage.people.owner()).token), 201),
  )

/** The token of the newest mail to somebody, as an admin reads it where there is no mail server. */
async function tokenFor({ client, people }: Stage, email: string, kind: string): Promise<string> {
  const token = await people.admin()
  const { items } = accepted(await client.send({ url: '/admin/outbox?limit=100', token }))
  const mails = items as { to: string; text: string | null }[]
  const found = mails.flatMap(({ to, text }) => (to === email ? (text?.match(new RegExp(`${kind}[\\w-]+`)) ?? []) : []))
  if (found[0] === undefined) throw new Untried('Mails are sent by a mail server, so that their tokens cannot be read.')
  return found[0]
}

/** Somebody else, as a viewer of the workspace. */
const viewerOf = (stage: Stage) =>
  stage.once('viewer', async () => {
    const { client, people } = stage
    const [viewer, owner, { id }] = [await people.free(), await people.owner(), await workspaceOf(stage)]
    const verify = { token: await tokenFor(stage, viewer.email, 'sy_verify_') }
    accepted(await client.send({ method: 'POST', url: '/auth/verify-email', body: verify }), 204)
    const invitation = { email: viewer.email, role: 'viewer' }
    const url = `/workspaces/${String(id)}/invitations`
    accepted(await client.send({ method: 'POST', url, token: owner.token, body: invitation }), 201)
    const join = { token: await tokenFor(stage, viewer.email, 'sy_join_') }
    accepted(await client.send({ method: 'POST', url: '/invitations/accept', token: viewer.token, body: join }))
    return viewer
  })

const changeRole = async (stage: Stage, userId: string) => {
  const { id } = await workspaceOf(stage)
  const { token } = await stage.people.owner()
  const url = `/workspaces/${String(id)}/members/${userId}`
  return stage.client.send({ method: 'PATCH', url, token, body: { role: 'viewer' } })
}

export const workspaceRows: Row[] = [
  {
    id: 'codes/WORKSPACE_REQUIRED',
    says: 'operation requires a team-plan workspace',
    run: async ({ client, people }) =>
      refused(await createWorkspace(client, (await people.free()).token), 'WORKSPACE_REQUIRED'),
  },
  {
    id: 'limits/Team plan',
    says: 'required for workspace operations',
    needs: ['cards'],
    async run(stage) {
      const answer = await createWorkspace(stage.client, (await stage.people.free()).token)
      const evidence = refused(answer, 'WORKSPACE_REQUIRED')
      await workspaceOf(stage)
      return `free: ${evidence}; team: 201`
    },
  },
  {
    id: 'codes/WORKSPACE_NOT_FOUND',
    says: 'no workspace with the given identifier',
    needs: ['cards'],
    async run(stage) {
      const { client, people } = stage
      const { token } = await people.owner()
      const unknown = refused(await client.send({ url: `/workspaces/${randomUUID()}`, token }), 'WORKSPACE_NOT_FOUND')
      const { id } = await workspaceOf(stage)
      const stranger = await people.spender()
      refused(await client.send({ url: `/workspaces/${String(id)}`, token: stranger.token }), 'WORKSPACE_NOT_FOUND')
      return `${unknown}; also for the workspace of others`
    },
  },
  {
    id: 'codes/PERMISSION_DENIED',
    says: 'lacking the required permission in the workspace',
    needs: ['cards', 'admin'],
    async run(stage) {
      const { client } = stage
      const viewer = await viewerOf(stage)
      const { id } = await workspaceOf(stage)
      const url = `/workspaces/${String(id)}`
      accepted(await client.send({ url, token: viewer.token }))
      const body = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual', workspaceId: id }
      const made = await client.send({ method: 'POST', url: '/agents', token: viewer.token, body })
      const evidence = refused(made, 'PERMISSION_DENIED')
      const renamed = await client.send({ method: 'PATCH', url, token: viewer.token, body: { name: 'Mine' } })
      refused(renamed, 'PERMISSION_DENIED')
      return `${evidence}, for a viewer who makes an agent there, or renames it`
    },
  },
  {
    id: 'codes/MEMBER_NOT_FOUND',
    says: 'the user is not a member of the workspace',
    needs: ['cards'],
    run: async (stage) => refused(await changeRole(stage, randomUUID()), 'MEMBER_NOT_FOUND'),
  },
  {
    id: 'codes/ROLE_CHANGE_FORBIDDEN',
    says: "the owner's role cannot be changed",
    needs: ['cards'],
    async run(stage) {
      const owner = await stage.people.owner()
      const evidence = refused(await changeRole(stage, owner.id), 'ROLE_CHANGE_FORBIDDEN')
      const { id } = await workspaceOf(stage)
      const { role } = accepted(await stage.client.send({ url: `/workspaces/${String(id)}`, token: owner.token }))
      assert(role === 'owner', `the owner has become ${String(role)}`)
      return evidence
    },
  },
]
