import * as approvals from '../../api/approvals.ts'
import * as auth from '../../api/auth.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { call, sendRaw } from '../../test/helpers/client.ts'
import { eventually } from '../../test/helpers/eventually.ts'
import { webhookAgent, type Person } from '../../test/helpers/people.ts'
import { sessionOf } from '../../test/helpers/sessions.ts'
import type { Place } from './bodies.ts'
import { chats } from './chats.ts'

interface Site {
  origin: string
  /** A harmless manifest. */
  plain: string
  publish: (answers: { manifest?: string; result?: string }) => Promise<void>
}

/** Sends the platform input that is hard to read, as fast as the platform accepts it. */
export async function openAttacker(owner: Person, { origin, plain, publish }: Site) {
  let repeated = 0
  const connect = async () => {
    const { status, body } = await send('POST', '/vault', JSON.stringify({ url: origin, token: 'a-token' }))
    return status === 201 ? (JSON.parse(body) as { id: string }).id : undefined
  }
  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: string,
    more: Record<string, string> = {},
  ) {
    const headers = {
      authorization: `Bearer ${owner.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    }
    const { status, bytes } = await sendRaw(owner.url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = bytes.toString()
    if (status === 500 || status === 429) throw new Error(`${method} ${path}: ${text.slice(0, 300)}`)
    return { status, body: text }
  }
  let entryId = (await call(owner, vault.addToVault, { body: { url: origin, token: 'a-token' } })).body.id
  const follower = await webhookAgent(owner, {
    systemPrompt: 'Report.',
    allowActionOverride: true,
    sites: [{ vaultEntryId: entryId }],
  })
  const caller = await webhookAgent(owner, {
    systemPrompt: '[[call act {"n":1}]] [[then]] [[call act {"n":2}]]',
    sites: [{ vaultEntryId: entryId }],
  })

  /** Delivers, waits for the end of the run, and reads its timeline in both forms. */
  async function deliver(agent: { id: string; webhookSecret: string }, payload: string): Promise<void> {
    const path = `/api/webhooks/agent/${agent.id}`
    const { status, body } = await send('POST', path, payload, { 'x-webhook-secret': agent.webhookSecret })
    if (status !== 202) return
    const { runId } = JSON.parse(body) as { runId: string }
    await eventually(120, 'the run ends', async () => {
      const run = await send('GET', `/runs/${runId}`)
      return (JSON.parse(run.body) as { endedAt: string | null }).endedAt ?? undefined
    })
    const events = `/runs/${runId}/events`
    for (let after = 0, more = true; more;) {
      const page = await send('GET', `${events}?limit=1000&after=${after}`)
      const found = JSON.parse(page.body) as {
        more: boolean
        items: { data: { attempt?: number; attempts?: number } }[]
      }
      repeated += found.items.filter(({ data }) => Math.max(data.attempt ?? 0, data.attempts ?? 0) > 1).length
      after += found.items.length
      more = found.more
    }
    await send('GET', events, undefined, { accept: 'text/event-stream' })
  }

  /** Makes a call that waits for approval. Returns the id of the approval. */
  async function askFirst(): Promise<string> {
    const { token } = await sessionOf(owner, { sites: [{ vaultEntryId: entryId, askFirst: ['act'] }] })
    const headers = { 'x-session-token': token, accept: 'application/json' }
    await send('POST', '/chat/messages', JSON.stringify({ text: '[[call act {"n":1}]]' }), headers)
    const [pending] = (await call(owner, approvals.listApprovals, { query: { status: 'pending' } })).body.items
    if (!pending) throw new Error('no call waits for approval')
    return pending.id
  }

  return {
    repeatedAttempts: () => repeated,

    /** The headers for every permitted request, and ids for the parameters of paths. */
    async place(): Promise<Place> {
      const { token } = await sessionOf(owner)
      const { id: workspaceId } = (await call(owner, workspaces.createWorkspace, { body: { name: 'A workspace' } }))
        .body
      const { id: userId } = (await call(owner, auth.me)).body
      return {
        url: owner.url,
        headers: {
          authorization: `Bearer ${owner.token}`,
          'x-session-token': token,
          'x-webhook-secret': follower.webhookSecret,
        },
        params: { agentId: follower.id, entryId, toolName: 'act', workspaceId, userId, approvalId: await askFirst() },
      }
    },

    chats: chats(owner, { entryId: () => entryId, publish }),

    deliverPayload: (payload: string) => deliver(follower, payload),

    /** A direct call, twice with one key, and the calls of a run. */
    async answerCalls(result: string): Promise<void> {
      await publish({ result })
      const key = { 'idempotency-key': crypto.randomUUID() }
      for (const _ of [1, 2]) await send('POST', `/vault/${entryId}/tools/act/call`, '{}', key)
      const list = await send('GET', `/vault/${entryId}/calls?limit=1`)
      const [latest] = (JSON.parse(list.body) as { items: { id: string }[] }).items
      await send('GET', `/vault/${entryId}/calls/${latest?.id}`)
      await deliver(caller, '{}')
      await publish({ result: '{}' })
    },

    async giveArguments(args: string): Promise<void> {
      const key = { 'idempotency-key': crypto.randomUUID() }
      for (const body of [args, args, ` ${args}`]) await send('POST', `/vault/${entryId}/tools/act/call`, body, key)
    },

    /** Inspects, connects, calls and lists the site, and then changes its manifest. */
    async publishManifest(manifest: string, later: string): Promise<void> {
      await publish({ manifest })
      await send('POST', '/vault/inspect', JSON.stringify({ url: origin }))
      await send('DELETE', `/vault/${entryId}`)
      const connected = await connect()
      if (connected !== undefined) {
        await send('POST', `/vault/${connected}/tools/act/call`, '{"a":1,"p1":"x","p2":["y"]}')
        await send('GET', `/vault/${connected}/tools`)
        await publish({ manifest: later })
        await send('POST', `/vault/${connected}/refresh-manifest`)
        await send('GET', `/vault/${connected}/manifest-changes`)
        await send('GET', '/vault')
        await send('DELETE', `/vault/${connected}`)
      }
      await publish({ manifest: plain })
      entryId = (await connect()) ?? entryId
    },
  }
}
