// @promise confirmed-effects
import test, { type ExecutionContext } from 'ava'
import * as audit from '../../api/audit.ts'
import * as exports from '../../api/exports.ts'
import * as manifests from '../../api/manifests.ts'
import * as moves from '../../api/moves.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import type { Effect } from '../../src/sites/tool.ts'
import { asked, decide } from '../helpers/approvals.ts'
import { call } from '../helpers/client.ts'
import { answering, manifestWith, startHostileSite } from '../helpers/hostile-site.ts'
import { startMcpServer } from '../helpers/mcp-server.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { workspaceOf } from '../helpers/workspaces.ts'

const platformOf = sharedPlatform(test)

type Wanted = { name: string; effect: Effect }

/** Somebody with a server whose tool `add` is said to read, and `count` to be idempotent. */
async function open(t: ExecutionContext, token?: string) {
  const server = await startMcpServer(t, { ...(token !== undefined && { token }) })
  const someone = await customer(await platformOf(), 'team')
  const body = { url: server.url, ...(token !== undefined && { token }) }
  const { id: entryId } = (await call(someone, vault.addToVault, { body })).body
  const params = { entryId }
  const confirm = (...tools: Wanted[]) => call(someone, vault.confirmEffects, { params, body: { tools } })
  const list = async () => (await call(someone, vault.listTools, { params })).body.items
  const effects = async () => Object.fromEntries((await list()).map(({ name, effect }) => [name, effect]))
  const refresh = async () => (await call(someone, manifests.refreshManifest, { params })).body
  return { server, someone, entryId, confirm, list, effects, refresh }
}

/** Breaks off the next answer to a tool call. */
function cutOne(server: Awaited<ReturnType<typeof startMcpServer>>): void {
  let isCut = false
  server.instead = ({ method }, _request, response) => {
    if (method !== 'tools/call' || isCut) return false
    isCut = true
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end()
    return true
  }
}

const adding = '[[call add {"a":1,"b":2}]] [[then]] [[say Done.]]'
const unconfirmed = { add: 'once', say: 'once', fail: 'once', count: 'once' }

test('a lost answer repeats a call only while its owner confirms what the site proposes', async (t) => {
  const { server, someone, entryId, confirm, list, effects, refresh } = await open(t)
  const agent = await agentOf(someone, { systemPrompt: adding, sites: [{ vaultEntryId: entryId }] })
  /** How the call ended whose first answer was lost. */
  const outcome = async () => {
    cutOne(server)
    const { id } = (await start(someone, agent)).body
    await ended(someone, id)
    const [{ status, attempts } = {}] = dataOf(await timelineOf(someone, id), 'tool.finished')
    return [status, attempts]
  }
  t.deepEqual(await effects(), unconfirmed)
  t.deepEqual(await outcome(), ['unknown', 1])

  const { items } = (await confirm({ name: 'add', effect: 'read' })).body
  t.like(items[0], { name: 'add', effect: 'read', proposedEffect: 'read' })
  t.like(items[3], { name: 'count', effect: 'once', proposedEffect: 'idempotent' })
  t.deepEqual(await outcome(), ['succeeded', 2])

  const { hints } = server
  server.hints = {}
  t.like(await refresh(), { class: 'compatible', status: 'adopted' })
  t.deepEqual(await outcome(), ['unknown', 1])
  server.hints = hints
  t.like(await refresh(), { class: 'text', status: 'adopted' })
  t.like((await list())[0], { effect: 'once', proposedEffect: 'read' })
  t.is(server.calls().length, 4)
})

test('a call that was recorded as one to be made once stays so when its effect is confirmed afterwards', async (t) => {
  const { server, someone, entryId, confirm } = await open(t)
  const sites = [{ vaultEntryId: entryId, askFirst: ['add'] }]
  const { id } = (await start(someone, await agentOf(someone, { systemPrompt: adding, sites }))).body
  const [approval] = await asked(someone)
  t.is((await confirm({ name: 'add', effect: 'read' })).status, 200)
  cutOne(server)
  t.is((await decide(someone, approval?.id ?? '', 'approve')).status, 200)
  await ended(someone, id)
  t.like(dataOf(await timelineOf(someone, id), 'tool.finished'), { 0: { status: 'unknown', attempts: 1 }, length: 1 })
  t.is(server.calls().length, 1)
})

test('a confirmation ends at once with its proposal, also while the rest of the change waits', async (t) => {
  const { server, confirm, effects, refresh } = await open(t)
  t.is((await confirm({ name: 'add', effect: 'read' }, { name: 'count', effect: 'idempotent' })).status, 200)
  server.hints = { add: { idempotentHint: true }, count: { readOnlyHint: true } }
  server.removed.add('say')
  t.like(await refresh(), { class: 'breaking', status: 'pending' })
  t.deepEqual(await effects(), { ...unconfirmed, count: 'idempotent' }, 'a stronger proposal changes nothing')
  const { code, details } = (await confirm({ name: 'add', effect: 'read' })).failure
  t.is(code, 'VALIDATION_ERROR')
  t.regex(`${details?.[0]?.message}`, /withdrawn its proposal for "add" in a change that waits for you/)
  t.is((await confirm({ name: 'count', effect: 'once' }, { name: 'add', effect: 'idempotent' })).status, 200)
  t.deepEqual(await effects(), { ...unconfirmed, add: 'idempotent' })

  server.removed.add('add')
  await refresh()
  server.removed.clear()
  t.like(await refresh(), { status: 'adopted' })
  t.deepEqual(await effects(), unconfirmed, 'a tool that comes back is unconfirmed')
})

test('an owner confirms what is proposed or less, several at once or none, and the log says who', async (t) => {
  const { someone, entryId, confirm, effects } = await open(t)
  const problem = async (...wanted: Wanted[]) => {
    const { code, details = [] } = (await confirm(...wanted)).failure
    t.is(code, 'VALIDATION_ERROR')
    t.deepEqual(await effects(), unconfirmed)
    return details.map(({ path, message }) => `${path}: ${message}`).join(' ')
  }
  const good = { name: 'add', effect: 'read' } as const
  t.regex(
    await problem(good, { name: 'count', effect: 'read' }),
    /^tools\.1: The site proposes the effect "idempotent"/,
  )
  t.regex(await problem(good, { name: 'say', effect: 'idempotent' }), /^tools\.1: .*"say".* can only be "once"\.$/)
  t.regex(await problem(good, { name: 'constructor', effect: 'once' }), /^tools\.1: The site has no tool named/)
  t.regex(await problem(good, { name: 'add', effect: 'once' }), /^tools\.1: Each tool must appear only once\.$/)

  t.is((await confirm({ name: 'add', effect: 'idempotent' }, { name: 'say', effect: 'once' })).status, 200)
  t.deepEqual(await effects(), { ...unconfirmed, add: 'idempotent' })
  const { items } = (await call(someone, audit.listAudit, { query: { action: 'confirmEffects' } })).body
  t.like(items, {
    0: {
      subject: { kind: 'vault_entry', id: entryId },
      before: { confirmedEffects: {} },
      after: { confirmedEffects: { add: 'idempotent' } },
    },
    length: 1,
  })
})

test('what is confirmed moves with its site, and is in the export of its owner', async (t) => {
  const { someone, entryId, confirm, effects } = await open(t)
  t.is((await confirm({ name: 'add', effect: 'read' })).status, 200)
  const exported = (await call(someone, exports.exportAccount)).body as unknown as { vault: unknown[] }
  t.like(exported.vault, { 0: { id: entryId, confirmedEffects: [{ tool: 'add', effect: 'read' }] }, length: 1 })
  const { id: workspaceId } = await workspaceOf(someone)
  t.is((await call(someone, moves.moveThings, { body: { entryIds: [entryId], workspaceId } })).status, 200)
  t.deepEqual(await effects(), { ...unconfirmed, add: 'read' })
})

test('there is nothing to confirm at a site that declares effects', async (t) => {
  const site = await startHostileSite(t)
  const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' }, effect: 'read' }
  site.manifest = answering(manifestWith(`${site.origin}/api`, { tools: [tool] }))
  const someone = await customer(await platformOf())
  const inspected = (await call(someone, siteInspection.inspectSite, { body: { url: site.origin } })).body
  t.false('proposedEffect' in (inspected.tools[0] ?? {}))
  const { id: entryId } = (await call(someone, vault.addToVault, { body: { url: site.origin, token: 'a-token' } })).body
  const body = { tools: [{ name: 'look', effect: 'once' as const }] }
  const { failure } = await call(someone, vault.confirmEffects, { params: { entryId }, body })
  t.regex(failure.error, /The site declares the effect of "look", so there is nothing to confirm\./)
})

test('a new token is tried with a tool that is confirmed to read', async (t) => {
  const token = 'the-token-of-the-owner'
  const { server, someone, entryId, confirm, refresh } = await open(t, token)
  const replace = () => call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })
  server.hints = { count: { readOnlyHint: true } }
  await refresh()
  t.is((await replace()).body.acceptedAt, null)
  t.is((await confirm({ name: 'count', effect: 'read' })).status, 200)
  t.not((await replace()).body.acceptedAt, null)
  t.is(server.counted, 1)
})
