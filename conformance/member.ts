import { agentOf, createAgent, startRun } from './agents.ts'
import type { Answer, Client, Json } from './client.ts'
import type { Code } from './codes.ts'
import { Untried } from './deviation.ts'
import { accepted } from './expect.ts'
import type { Person } from './people.ts'
import { ofSession } from './sessions.ts'
import type { Stage } from './stage.ts'

export const createWorkspace = (client: Client, token: string): Promise<Answer> =>
  client.send({ method: 'POST', url: '/workspaces', token, body: { name: 'Conformance' } })

export const workspaceOf = (stage: Stage): Promise<Json> =>
  stage.once('workspace', async () =>
    accepted(await createWorkspace(stage.client, (await stage.people.owner()).token), 201),
  )

async function pathOf(stage: Stage): Promise<string> {
  return `/workspaces/${String((await workspaceOf(stage))['id'])}`
}

/** Changes a role as the owner of the workspace. */
export async function changeRole(stage: Stage, userId: string, role: string): Promise<Answer> {
  const [{ token }, path] = [await stage.people.owner(), await pathOf(stage)]
  return stage.client.send({ method: 'PATCH', url: `${path}/members/${userId}`, token, body: { role } })
}

/** Removes a member as the owner of the workspace. */
export async function removeMember(stage: Stage, userId: string): Promise<Answer> {
  const [{ token }, path] = [await stage.people.owner(), await pathOf(stage)]
  return stage.client.send({ method: 'DELETE', url: `${path}/members/${userId}`, token })
}

/** The token of the newest mail to an address, which an admin can read without a mail server. */
async function tokenFor({ client, people }: Stage, email: string, kind: string): Promise<string> {
  const token = await people.admin()
  const { items } = accepted(await client.send({ url: '/admin/outbox?limit=100', token }))
  const mails = items as { to: string; text: string | null }[]
  const found = mails.flatMap(({ to, text }) => (to === email ? (text?.match(new RegExp(`${kind}[\\w-]+`)) ?? []) : []))
  if (found[0] === undefined) throw new Untried('Mails are sent by a mail server, so that their tokens cannot be read.')
  return found[0]
}

/** Only a verified account can invite or be invited. */
async function verify(stage: Stage, { email, token }: Pick<Person, 'email' | 'token'>): Promise<void> {
  const { client } = stage
  const { emailVerifiedAt } = accepted(await client.send({ url: '/auth/me', token }))
  if (emailVerifiedAt !== null) return
  accepted(await client.send({ method: 'POST', url: '/auth/verify-email/send', token }), 202)
  const body = { token: await tokenFor(stage, email, 'sy_verify_') }
  accepted(await client.send({ method: 'POST', url: '/auth/verify-email', body }), 204)
}

/** Makes another account a viewer of the workspace. */
async function join(stage: Stage, { email, token }: Person): Promise<void> {
  const { client, people } = stage
  const owner = await people.owner()
  for (const one of [owner, { email, token }]) await verify(stage, one)
  const url = `${await pathOf(stage)}/invitations`
  accepted(await client.send({ method: 'POST', url, token: owner.token, body: { email, role: 'viewer' } }), 201)
  const accept = { token: await tokenFor(stage, email, 'sy_join_') }
  accepted(await client.send({ method: 'POST', url: '/invitations/accept', token, body: accept }))
}

/** The requests of a viewer in the workspace, which has an agent. */
async function view(stage: Stage, viewer: Person, agent: Json) {
  const { client } = stage
  const [path, { id: workspaceId }] = [await pathOf(stage), await workspaceOf(stage)]
  const { token } = viewer
  const url = `/agents/${String(agent['id'])}`
  return {
    read: await client.send({ url: path, token }),
    refused: [
      await createAgent(client, viewer, { workspaceId }),
      await startRun(client, viewer, agent),
      await client.send({ method: 'POST', url: '/sessions', token, body: { workspaceId } }),
      await client.send({ method: 'PATCH', url, token, body: { name: 'Mine' } }),
      await client.send({ method: 'DELETE', url, token }),
      await client.send({ method: 'PATCH', url: path, token, body: { name: 'Mine' } }),
    ],
  }
}

/** The requests that a former member must not make, by the expected code. */
async function lookBack(stage: Stage, { token }: Person, agent: Json, session: Json): Promise<[Code, Answer[]][]> {
  const { client } = stage
  const [path, { id }] = [await pathOf(stage), await workspaceOf(stage)]
  const read = (url: string) => client.send({ url, token })
  const chat = await client.send({ url: '/sessions/current', headers: ofSession(session) })
  return [
    [
      'WORKSPACE_NOT_FOUND',
      [await read(path), await read(`${path}/members`), await read(`/agents?workspaceId=${String(id)}`)],
    ],
    ['AGENT_NOT_FOUND', [await read(`/agents/${String(agent['id'])}`)]],
    ['INVALID_SESSION', [chat]],
  ]
}

/** A free account becomes a viewer of the workspace, then a member, and is finally removed. */
export const storyOf = (stage: Stage) =>
  stage.once('story of a member', async () => {
    const { client, people } = stage
    const [free, { id: workspaceId }] = [await people.free(), await workspaceOf(stage)]
    const agent = await agentOf(client, await people.owner(), { workspaceId })
    await join(stage, free)
    const viewing = await view(stage, free, agent)
    const crowned = await changeRole(stage, free.id, 'owner')
    accepted(await changeRole(stage, free.id, 'member'))
    const made = await createAgent(client, free, { workspaceId })
    const { token } = free
    const opened = await client.send({ method: 'POST', url: '/sessions', token, body: { workspaceId } })
    const removed = await removeMember(stage, free.id)
    const leaving = { removed, refused: await lookBack(stage, free, agent, opened.json) }
    return { viewing, crowned, building: [made, opened], leaving }
  })
