import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import * as manifests from '../../../api/manifests.ts'
import * as vault from '../../../api/vault.ts'
import { createOAuthReturn } from '../../../src/vault/oauth/oauth-return.ts'
import { createOAuthClient } from '../../../src/vault/oauth/oauth-client.ts'
import { openCredential } from '../../../src/vault/credential.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'
import { secretText, startBareOAuthSite, tokenAnswer } from '../../helpers/bare-oauth-site.ts'
import { call } from '../../helpers/client.ts'
import { beginConnect, comeBack, type ConnectOptions, type Visit } from '../../helpers/connect.ts'
import { eventually } from '../../helpers/eventually.ts'
import { answering } from '../../helpers/hostile-site.ts'
import { agentOf, customer, ended, timelineOf, type Person } from '../../helpers/people.ts'
import type { Platform } from '../../helpers/platform.ts'
import { dataOf, start } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

/** What happens to connections that change while something is under way. */

const idle = sharedPlatform(test, 'idle')
const working = sharedPlatform(test)

/** Somebody of this test's own, and a site of its own that she connects. */
async function open(t: ExecutionContext, shared = idle) {
  const [platform, site] = [await shared(), await startBareOAuthSite(t)]
  const someone = await customer(platform)
  const finish = ({ location, cookie }: Visit) => {
    const state = new URL(location).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: secretText('code'), state })
    return comeBack(platform, `${platform.url}/vault/oauth/callback?${query.toString()}`, cookie)
  }
  async function connect(options: ConnectOptions = {}): Promise<string> {
    const body = (await (await finish(await beginConnect(someone, site, options))).json()) as { entryId: string }
    return body.entryId
  }
  return { site, platform, someone, finish, connect }
}

const refusing =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify({ error: `Answered ${status}.` }))

/** Answers one after the other; the last one for ever. */
function inTurn(...answers: RequestListener[]): RequestListener {
  let count = 0
  return (request, response) => {
    const answer = answers[Math.min(count, answers.length - 1)]
    count += 1
    answer?.(request, response)
  }
}

/** As if the entry's access token had been given long ago. */
const expire = ({ services }: Platform, entryId: string) =>
  VaultEntry.query(services.database)
    .findById(entryId)
    .patch({ expiresAt: new Date(0), refreshAfter: new Date(0) })

async function follow(t: ExecutionContext, someone: Person, vaultEntryId: string) {
  const agent = await agentOf(someone, { systemPrompt: '[[call act {}]]', sites: [{ vaultEntryId }] })
  const { id } = (await start(someone, agent)).body
  t.is((await ended(someone, id, 30)).status, 'completed')
  return timelineOf(someone, id)
}

test('a token that expires while the site is held back is refreshed once more, and is not taken for dead', async (t) => {
  const { site, someone, connect } = await open(t, working)
  site.token = (request, response) => answering(tokenAnswer({ expires_in: undefined }))(request, response)
  const entryId = await connect()
  const busy = refusing(429, { 'retry-after': '1' })
  site.tool = inTurn(refusing(401), busy, refusing(401), answering({ done: true }))
  const timeline = await follow(t, someone, entryId)
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded', attempts: 4 }])
  t.is((await call(someone, vault.getVaultEntry, { params: { entryId } })).body.status, 'connected')
})

test('a run waits for a token address that is busy, and nothing is said to have been sent meanwhile', async (t) => {
  const { site, platform, someone, connect } = await open(t, working)
  const entryId = await connect()
  await expire(platform, entryId)
  site.token = inTurn(refusing(503, { 'retry-after': '2' }), answering(tokenAnswer()))
  const timeline = await follow(t, someone, entryId)
  t.like(dataOf(timeline, 'wait.started'), [{ cause: 'rate_limit', site: site.origin }])
  t.is(dataOf(timeline, 'tool.started').length, 1)
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded', attempts: 1 }])
  await expire(platform, entryId)
  site.token = refusing(503, { 'retry-after': '60' })
  const { failure } = await call(someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })
  t.is(failure.code, 'SITE_UNAVAILABLE', 'who calls directly does not wait')
})

test('a call that cannot be sent, because no tokens are to be had, is not said to have been sent', async (t) => {
  const { site, platform, someone, connect } = await open(t, working)
  const entryId = await connect()
  await expire(platform, entryId)
  site.token = refusing(503)
  const timeline = await follow(t, someone, entryId)
  t.deepEqual(dataOf(timeline, 'tool.started'), [])
  const failed = dataOf(timeline, 'tool.failed').map(({ attempt }) => attempt)
  t.deepEqual(failed, [1, 2], 'each was followed by another')
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'failed', attempts: 3 }])
  t.deepEqual(site.toolTokens, [])
})

test('a site that changes to pasted tokens keeps nothing of its grant, which is given back', async (t) => {
  const { site, platform, someone, connect } = await open(t)
  const { database, sealing } = platform.services
  const params = { entryId: await connect({ tools: ['act'] }) }
  for (const member of Object.keys(site.auth)) delete site.auth[member]
  site.auth['type'] = 'bearer'
  const { fingerprint } = (await call(someone, manifests.refreshManifest, { params })).body
  await call(someone, manifests.acceptManifest, { params, body: { fingerprint } }).then((answer) => answer.body)
  t.is(site.revokeForms.length, 1)
  const kept = await VaultEntry.query(database).findById(params.entryId).throwIfNotFound()
  t.like(kept, { status: 'needs_reauth', clientId: null, scopes: null, expiresAt: null, refreshAfter: null })
  t.deepEqual(openCredential(sealing, kept), { accessToken: '' })
  const entry = (await call(someone, vault.replaceVaultToken, { params, body: { token: 'pasted' } })).body
  t.like(entry, { status: 'connected', authType: 'bearer', scopes: null })
  const answer = await call(someone, vault.callTool, { params: { ...params, toolName: 'change' }, body: {} })
  t.is(answer.status, 200)
})

test('the tokens that an entry has when it is deleted are the ones that are given back', async (t) => {
  const { site, someone, platform, connect } = await open(t)
  const entryId = await connect()
  // Refreshed by somebody else between being read and being deleted.
  const { vault: services } = platform.services
  const { userId } = await platform.services.users.authenticate(`Bearer ${someone.token}`)
  const read = await services.get(userId, entryId)
  await services.refresh.renew(entryId, read.generation, 'keep_alive')
  await services.remove(read, { force: false })
  const [spent] = site.tokenForms.flatMap((form) => form.getAll('refresh_token'))
  t.is(site.revokeForms.length, 1)
  t.truthy(spent)
  t.not(site.revokeForms[0]?.get('token'), spent)
  t.is((await call(someone, vault.getVaultEntry, { params: { entryId } })).status, 404)
})

test('an entry that no key opens any more can be deleted, and nothing is given back', async (t) => {
  const { site, someone, platform, connect } = await open(t)
  const params = { entryId: await connect() }
  await VaultEntry.query(platform.services.database).findById(params.entryId).patch({ credential: 'gone.AAAA' })
  t.is((await call(someone, vault.removeFromVault, { params })).status, 204)
  t.is((await call(someone, vault.getVaultEntry, { params })).status, 404)
  t.deepEqual(site.revokeForms, [])
})

test('a call is not sent any more when its scope was taken away after it was planned', async (t) => {
  const { site, someone, platform, connect } = await open(t)
  const { services } = platform
  const vaultEntryId = await connect()
  const agent = await agentOf(someone, { systemPrompt: '[[call change {}]]', sites: [{ vaultEntryId }] })
  await start(someone, agent)
  const run = await services.runs.queue.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  const never = new AbortController().signal
  const move = await services.runs.steps.advance(run, never)
  await services.database('vault_entries').where({ id: vaultEntryId }).update({ scopes: '["read"]' })
  if (move.kind === 'tools') await services.runs.calls.perform(run, move.calls[0]?.callId ?? '', never)
  t.deepEqual(site.toolTokens, [])
  t.like(dataOf(await timelineOf(someone, run.runId), 'tool.finished'), [{ status: 'failed' }])
})

test('a grant whose storing was not heard of is stored once, and not given back', async (t) => {
  const { site, someone, platform } = await open(t)
  const { services } = platform
  const { location, cookie, flowId } = await beginConnect(someone, site)
  const state = new URL(location).searchParams.get('state') ?? ''
  const kept: VaultEntry[] = []
  const callback = createOAuthReturn({
    ...services,
    oauthClient: createOAuthClient(services),
    async keep(flow, grant) {
      kept.push(await services.vault.keep(flow, grant))
      // It is committed; the first time, the connection breaks before that is said.
      if (kept.length === 1) throw Object.assign(new Error('The connection broke'), { code: 'ECONNRESET' })
      return kept[1]!
    },
  })
  const parameters = new URLSearchParams({ code: secretText('code'), state })
  const { result, flow } = await callback.finish({
    parameters,
    bindingOf: () => cookie.slice(cookie.indexOf('=') + 1),
    from: {},
  })
  if ('error' in result) throw result.error
  const { entry } = result
  t.like(flow, { id: flowId, status: 'connected', entryId: entry.id })
  t.deepEqual(kept, [entry, entry])
  t.deepEqual(await VaultEntry.query(services.database).where({ ownerId: entry.ownerId }), [entry])
  t.deepEqual(site.revokeForms, [])
})

test('a flow that began before the site’s addresses were changed connects nothing', async (t) => {
  const { site, someone, connect, finish } = await open(t)
  const params = { entryId: await connect() }
  const visit = await beginConnect(someone, site, params)
  site.auth['authorization_url'] = `${site.origin}/authorize-elsewhere`
  const { fingerprint } = (await call(someone, manifests.refreshManifest, { params })).body
  await call(someone, manifests.acceptManifest, { params, body: { fingerprint } }).then((answer) => answer.body)
  const back = await finish(visit)
  t.is(back.status, 400)
  t.regex(((await back.json()) as { error: string }).error, /changed after this connection attempt started/)
  await eventually(5, 'the grant is given back', () => site.revokeForms.length === 1 || undefined)
})
