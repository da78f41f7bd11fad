// @promise oauth
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import { secretText, tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { answering } from '../helpers/hostile-site.ts'
import { oddForms, oddMembers, type TokenAnswer } from '../helpers/token-answers.ts'
import { shareOAuthPlatform, type OAuthStage } from './oauth-stage.ts'

/** Odd answers of a site that takes each refresh token once, to a refresh and to the exchange of a code. */

const share = shareOAuthPlatform(test, 'odd token answers', { TOKEN_TIMEOUT_SECONDS: '20' })

/** An answer as the site sends it, and the tokens in it. */
function sent({ body, status = 200, headers = {}, next = 'REFRESH' }: TokenAnswer) {
  const [access, refresh] = [secretText('access'), secretText('refresh')]
  const filled = (text: string): string => text.replaceAll('ACCESS', access).replaceAll('REFRESH', refresh)
  const isPacked = /gzip/i.test(headers['content-encoding'] ?? '')
  const answer: RequestListener = (_request, response) => {
    for (const [name, value] of Object.entries(headers)) if (value !== '') response.setHeader(name, value)
    if (headers['content-type'] === undefined) response.setHeader('content-type', 'application/json')
    response.writeHead(status).end(isPacked ? gzipSync(filled(body)) : filled(body))
  }
  return { answer, access, refresh: filled(next) }
}

function helpersOf({ site, someone, platform }: OAuthStage) {
  const { database } = platform.services
  return {
    expire: (id: string) =>
      database('vault_entries')
        .where({ id })
        .update({ refresh_after: new Date(0), expires_at: new Date(0) }),
    rest: (id: string) =>
      database('vault_refreshes')
        .where({ entry_id: id })
        .update({ ended_at: new Date(0), retry_at: null }),
    use: (entryId: string, toolName = 'act') =>
      call(someone, vault.callTool, { params: { entryId, toolName }, body: {} }),
    entry: async (entryId: string) => (await call(someone, vault.getVaultEntry, { params: { entryId } })).body,
    remove: (entryId: string) => call(someone, vault.removeFromVault, { params: { entryId } }),
    spent: () => site.tokenForms.flatMap((form) => form.get('refresh_token') ?? []),
  }
}

const noteOf = ({ status = 200, headers = {}, body }: TokenAnswer): string =>
  `${status} ${JSON.stringify(headers)} ${body}`

/** What the scopes are, and whether a sentence says what the site granted. */
async function assertScopes(
  t: ExecutionContext,
  entry: { scopes: unknown; statusReason: string | null },
  shape: TokenAnswer,
  atRefresh: boolean,
) {
  const { scopes = ['read', 'write'] } = shape
  const kept = atRefresh ? ['read', 'write'] : []
  t.deepEqual(entry.scopes, scopes === 'strange' ? kept : scopes, noteOf(shape))
  if (scopes === 'strange') t.regex(entry.statusReason ?? '', /^The site granted “/, noteOf(shape))
  else t.is(entry.statusReason, null, noteOf(shape))
}

/** Refreshes one connection after the other answer, and connects the site again when a grant is lost. */
function refreshing(t: ExecutionContext, stage: OAuthStage) {
  const { site } = stage
  const { expire, rest, use, entry, remove, spent } = helpersOf(stage)
  let id: string | undefined
  let current = ''

  function grantWell(): void {
    const answer = tokenAnswer()
    current = answer.refresh_token
    site.token = answering(answer)
  }

  async function connected(): Promise<string> {
    if (id !== undefined) return id
    grantWell()
    return (id = await stage.connect())
  }

  return async (shape: TokenAnswer): Promise<void> => {
    const entryId = await connected()
    const before = current
    site.tokenForms.length = 0
    const odd = sent(shape)
    site.token = odd.answer
    await expire(entryId)
    const used = await use(entryId)
    if (shape.names === undefined) {
      t.is(used.status, 200, noteOf(shape))
      t.is(site.toolTokens.at(-1), odd.access, noteOf(shape))
      await assertScopes(t, await entry(entryId), shape, true)
    } else {
      const { statusReason } = await entry(entryId)
      for (const words of [used.failure.error, statusReason ?? ''])
        t.true(words.includes(shape.names), `${words} ${noteOf(shape)}`)
    }
    grantWell()
    await rest(entryId)
    await expire(entryId)
    const isOver = (await entry(entryId)).status === 'needs_reauth'
    t.is(isOver, shape.names === 'invalid_grant', noteOf(shape))
    if (!isOver) t.is((await use(entryId)).status, 200, noteOf(shape))
    const isOld = shape.keepsOld ?? !shape.body.includes('REFRESH')
    t.deepEqual(spent(), [before, ...(isOver ? [] : [isOld ? before : odd.refresh])], noteOf(shape))
    // What it has now lost is not to be seen in the next.
    const isNarrower = Array.isArray(shape.scopes)
    if (!isOver && !isNarrower) return
    await remove(entryId)
    id = undefined
  }
}

async function atExchange(t: ExecutionContext, stage: OAuthStage, shape: TokenAnswer): Promise<void> {
  const { site } = stage
  const { expire, use, entry, remove, spent } = helpersOf(stage)
  const odd = sent(shape)
  site.token = odd.answer
  const back = await stage.finish(await stage.begin())
  if (shape.names !== undefined) {
    t.is(back.body.code, 'TOOL_EXECUTION_ERROR', noteOf(shape))
    t.true(back.body.error?.includes(shape.names), `${back.body.error} ${noteOf(shape)}`)
    t.deepEqual(await stage.entriesOf(), [], noteOf(shape))
    return
  }
  const id = String(back.body['entryId'])
  await assertScopes(t, await entry(id), shape, false)
  if (shape.scopes !== 'strange') {
    t.is((await use(id)).status, 200, noteOf(shape))
    t.is(site.toolTokens.at(-1), odd.access, noteOf(shape))
    site.tokenForms.length = 0
    site.token = answering(tokenAnswer())
    await expire(id)
    await use(id)
    t.deepEqual(spent(), shape.keepsOld ? [] : [odd.refresh], noteOf(shape))
  }
  await remove(id)
}

const lists = { 'odd members': oddMembers, 'an odd form': oddForms }

for (const [what, shapes] of Object.entries(lists)) {
  const [refresh, exchange] = [share(), share()]
  test(`a refresh that is answered with ${what} loses no grant, and what is refused is named`, async (t) => {
    const stage = await refresh(t)
    const refreshWith = refreshing(t, stage)
    for (const shape of shapes) await refreshWith(shape)
    stage.assertSilent()
  })

  test(`a code that is answered with ${what} connects if the tokens can be read, and what is refused is named`, async (t) => {
    const stage = await exchange(t)
    for (const shape of shapes) await atExchange(t, stage, shape)
    stage.assertSilent()
  })
}

const lasting = share()
test('a site that never gives a usable access token is given up, with the member named, and sees no token twice', async (t) => {
  const stage = await lasting(t)
  const { expire, rest, use, entry, spent } = helpersOf(stage)
  const id = await stage.connect()
  stage.site.tokenForms.length = 0
  stage.site.token = (request, response) => answering(tokenAnswer({ token_type: 'DPoP' }))(request, response)
  for (let round = 0; round < 5; round += 1) {
    await expire(id)
    t.not((await use(id)).status, 200)
    await rest(id)
  }
  t.is(spent().length, 2)
  t.is(new Set(spent()).size, 2)
  const { status, statusReason } = await entry(id)
  t.is(status, 'needs_reauth')
  t.regex(statusReason ?? '', /`token_type` is “DPoP”, and only Bearer tokens are supported/)
})

const narrowed = share()
test('a call whose refresh takes its scope away is refused as that, from the first one on', async (t) => {
  const stage = await narrowed(t)
  const { expire, use, entry } = helpersOf(stage)
  const id = await stage.connect(stage.site, { tools: ['act', 'change'] })
  stage.site.token = answering(tokenAnswer({ scope: 'write' }))
  await expire(id)
  const first = await use(id)
  t.like(first, { status: 403, failure: { code: 'PERMISSION_DENIED' } })
  t.regex(first.failure.error, /needs the scope "read", which was not granted/)
  t.is((await use(id)).failure.code, 'PERMISSION_DENIED')
  t.is((await use(id, 'change')).status, 200)
  t.like(await entry(id), { status: 'connected', statusReason: null, scopes: ['write'] })
})
