import type { RequestListener } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as notifications from '../../api/notifications.ts'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import * as refreshes from '../../api/refreshes.ts'
import { tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { sightings } from '../helpers/canaries.ts'
import { call } from '../helpers/client.ts'
import { answering } from '../helpers/hostile-site.ts'
import { oauthStages, type OAuthStage } from './oauth-stage.ts'

/** What the token address may answer when a refresh token comes, and what must come of it. */

const open = oauthStages(test)

type Work = (t: ExecutionContext, stage: Awaited<ReturnType<typeof connected>>) => Promise<void>

/** Declares a test of somebody who has connected a site. */
const refreshing = (title: string, work: Work) => test(title, async (t) => work(t, await connected(await open(t))))

/** Somebody who has connected a site, and what happens to tokens with time. */
async function connected(stage: OAuthStage) {
  const { site, someone, platform } = stage
  const { database } = platform.services
  const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000)
  const entryId = await stage.connect()
  site.tokenForms.length = 0
  const params = { entryId }

  return {
    ...stage,
    params,
    /** The time to refresh has come; the access token is good for a while yet, or over, too. */
    grow: async ({ over = false, id = entryId } = {}): Promise<void> => {
      const times = { refresh_after: inSeconds(-1), expires_at: inSeconds(over ? -1 : 600) }
      await database('vault_entries').where({ id }).update(times)
    },
    /** The pauses after attempts that have failed are over. */
    rest: () =>
      database('vault_refreshes')
        .where({ entry_id: params.entryId })
        .update({ ended_at: inSeconds(-3600), retry_at: null }),
    use: (toolName = 'act', id = entryId) =>
      call(someone, vault.callTool, { params: { entryId: id, toolName }, body: {} }),
    entry: async () => (await call(someone, vault.getVaultEntry, { params })).body,
    /** The outcomes of the refreshes, oldest first. */
    outcomes: async (id = entryId) =>
      (await call(someone, refreshes.listRefreshes, { params: { entryId: id } })).body.items
        .map(({ outcome }) => outcome)
        .toReversed(),
    /** The refresh tokens that came to the site, oldest first. */
    spent: (): (string | null)[] => site.tokenForms.map((form) => form.get('refresh_token')),
    warnings: async () =>
      (await call(someone, notifications.listNotifications, { query: { kind: 'credential_dead' } })).body.items,
  }
}

const status =
  (code: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(body)

const invalidGrant = status(400, '{"error":"invalid_grant"}')

refreshing(
  'every refresh spends the refresh token of the one before, once',
  async (t, { grow, use, spent, site, outcomes, assertSilent }) => {
    const given: string[] = []
    site.token = (request, response) => {
      const answer = tokenAnswer()
      given.push(answer.refresh_token)
      answering(answer)(request, response)
    }
    for (let round = 0; round < 4; round += 1) {
      await grow({ over: true })
      t.is((await use()).status, 200)
    }
    t.deepEqual(spent().slice(1), given.slice(0, -1))
    t.is(new Set(spent()).size, 4)
    t.is(new Set(site.toolTokens).size, 4)
    t.deepEqual(await outcomes(), ['refreshed', 'refreshed', 'refreshed', 'refreshed'])
    assertSilent()
  },
)

refreshing(
  'where the site gives no new refresh token the old one is kept and used again',
  async (t, { grow, use, spent, site, someone, params, assertSilent }) => {
    site.token = (request, response) => answering({ ...tokenAnswer(), refresh_token: undefined })(request, response)
    for (let round = 0; round < 3; round += 1) {
      await grow({ over: true })
      t.is((await use()).status, 200)
    }
    t.deepEqual(spent(), Array(3).fill(spent()[0]))
    t.truthy(spent()[0])
    const { items } = (await call(someone, refreshes.listRefreshes, { params })).body
    t.true(items.every(({ rotated }) => rotated === false))
    assertSilent()
  },
)

refreshing(
  'a site that twice cuts the connection instead of answering, and then works, keeps its connection',
  async (t, { grow, rest, use, spent, site, outcomes }) => {
    site.token = (_, response) => {
      response.destroy()
    }
    await grow({ over: true })
    for (let round = 0; round < 2; round += 1) {
      t.is((await use()).failure.code, 'SITE_UNAVAILABLE')
      await rest()
    }
    site.token = answering(tokenAnswer())
    t.is((await use()).status, 200)
    t.is(new Set(spent()).size, 1)
    t.deepEqual(await outcomes(), ['ambiguous', 'ambiguous', 'refreshed'])
  },
)

refreshing(
  'a refresh that gives fewer scopes makes the tools that need them unusable',
  async (t, { grow, use, entry, site, someone, params }) => {
    t.is((await use('change')).status, 200)
    site.token = answering(tokenAnswer({ scope: 'read something_unknown' }))
    await grow()
    t.is((await use('act')).status, 200)
    t.deepEqual((await entry()).scopes, ['read'])
    const { items } = (await call(someone, vault.listTools, { params })).body
    t.like(items, { 0: { name: 'act', usable: true }, 1: { name: 'change', usable: false }, length: 2 })
    const calls = site.toolTokens.length
    t.is((await use('change')).failure.code, 'PERMISSION_DENIED')
    t.is(site.toolTokens.length, calls)
  },
)

refreshing(
  'where a token may have been spent, the access token is used while it lives, then the refresh token is tried again, and at last no more',
  async (t, { grow, rest, use, spent, entry, site, outcomes, warnings, assertSilent }) => {
    site.token = status(500, JSON.stringify(tokenAnswer()))
    await grow()
    for (let round = 0; round < 3; round += 1) t.is((await use()).status, 200)
    t.is(new Set(site.toolTokens).size, 1)
    t.is(spent().length, 1, 'as long as the access token lives, nothing more is risked')
    t.is((await entry()).status, 'connected')
    await grow({ over: true })
    for (let round = 1; round < 10; round += 1) {
      t.is((await use()).failure.code, 'SITE_UNAVAILABLE')
      t.is((await entry()).status, 'connected')
      await rest()
    }
    for (let round = 0; round < 3; round += 1) {
      await rest()
      t.is((await use()).failure.code, 'TOOL_EXECUTION_ERROR')
    }
    t.is(spent().length, 10)
    t.is(new Set(spent()).size, 1)
    t.is(site.toolTokens.length, 3)
    t.deepEqual(await outcomes(), Array(10).fill('ambiguous'))
    t.is((await entry()).status, 'needs_reauth')
    t.is((await warnings()).length, 1)
    assertSilent()
  },
)

refreshing(
  'two sites whose tokens are refreshed at the same time get tokens of their own',
  async (t, { grow, use, site, other, connect }) => {
    const second = await connect(other)
    for (const id of [undefined, second]) await grow({ over: true, ...(id && { id }) })
    const overlapping = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    site.token = (request, response) => {
      asked.resolve()
      void overlapping.promise.then(() => answering(tokenAnswer())(request, response))
    }
    other.token = (request, response) => {
      overlapping.resolve()
      answering(tokenAnswer())(request, response)
    }
    const first = use()
    await asked.promise
    const late = use('act', second)
    await Promise.race([overlapping.promise, delay(5000)])
    overlapping.resolve()
    for (const { status } of [await first, await late]) t.is(status, 200)
    t.deepEqual([site.toolTokens.length, other.toolTokens.length], [1, 1])
    t.not(site.toolTokens[0], other.toolTokens[0])
  },
)

refreshing(
  'a site that asks to be left alone for a day is asked again after five minutes',
  async (t, { grow, use, site, platform, params }) => {
    site.token = status(503, '', { 'Retry-After': '86400' })
    await grow({ over: true })
    t.is((await use()).failure.code, 'SITE_UNAVAILABLE')
    const [refresh] = (await platform.services.database('vault_refreshes').where({ entry_id: params.entryId })) as {
      endedAt: Date
      retryAt: Date
    }[]
    t.is(Number(refresh?.retryAt) - Number(refresh?.endedAt), 300_000)
  },
)

refreshing(
  'invalid_grant is the end of a connection at once, and its owner is told once',
  async (t, { grow, rest, use, spent, entry, site, outcomes, warnings }) => {
    site.token = invalidGrant
    await grow()
    for (let round = 0; round < 3; round += 1) {
      t.is((await use()).failure.code, 'TOOL_EXECUTION_ERROR')
      await rest()
    }
    t.is(spent().length, 1)
    t.deepEqual(site.toolTokens, [])
    t.deepEqual(await outcomes(), ['refused'])
    t.is((await entry()).status, 'needs_reauth')
    t.is((await warnings()).length, 1)
  },
)

refreshing(
  'a site that refuses the platform itself shows on the entry, until it recovers by itself or is connected anew',
  async (t, { grow, rest, use, entry, site, someone, open, finish, params }) => {
    const good = site.token
    const refusing = status(401, '{"error":"invalid_client","error_description":"Who are you?"}')
    const connected = { status: 'connected', statusReason: null } as const
    t.like(await entry(), connected)
    site.token = refusing
    await grow({ over: true })
    t.is((await use()).failure.code, 'SITE_UNAVAILABLE')
    const { statusReason } = await entry()
    t.regex(statusReason ?? '', /“invalid_client: Who are you\?”.* The platform operator must /)
    const { items } = (await call(someone, vault.listVault)).body
    t.like(items, { 0: { id: params.entryId, status: 'refresh_failing', statusReason }, length: 1 })
    site.token = good
    await rest()
    t.is((await use()).status, 200)
    t.like(await entry(), connected)

    site.token = refusing
    await grow()
    t.is((await use()).status, 200, 'while the token lives')
    t.is((await entry()).status, 'refresh_failing')
    site.token = good
    const { body } = await call(someone, oauth.startOAuth, { body: { entryId: params.entryId } })
    t.is((await finish({ ...(await open(someone, body.connectUrl)), flowId: body.id })).status, 200)
    t.like(await entry(), connected)
  },
)

refreshing(
  'a refusal that quotes the refresh token is kept, told and logged without it',
  async (t, { grow, use, entry, site, someone, params, warnings, allSecrets, assertSilent }) => {
    site.token = (request, response) => {
      const token = site.tokenForms.at(-1)?.get('refresh_token') ?? ''
      const words = `refresh token ${token} was revoked`
      status(400, JSON.stringify({ error: 'invalid_grant', error_description: words }))(request, response)
    }
    await grow({ over: true })
    const { failure } = await use()
    t.regex(failure.error, /“invalid_grant: refresh token \[token\] was revoked”/)
    const { items } = (await call(someone, refreshes.listRefreshes, { params })).body
    t.is(items[0]?.error, 'The site responded with “invalid_grant: refresh token [token] was revoked”.')
    const shown = JSON.stringify([failure, items, await entry(), await warnings()])
    t.deepEqual(sightings(allSecrets(), [shown]), [])
    assertSilent()
  },
)

refreshing(
  'the history of refreshes is bounded, and what speaks against the present refresh token stays in it',
  async (t, { grow, rest, use, site, other, connect, platform, params, outcomes }) => {
    const { database } = platform.services
    const { entryId } = params
    const { generation } = (await database('vault_entries').where({ id: entryId }).first()) as { generation: number }
    const ended_at = new Date(Date.now() - 3_600_000)
    const times = { started_at: ended_at, lease_until: ended_at, ended_at }
    const prefixOf = (name: string) => `0000000${name}-0000-7000-8000`
    const rows = (name: string, count: number, row: object) => {
      const ids = Array.from({ length: count }, (_, number) => `${prefixOf(name)}-${String(number).padStart(12, '0')}`)
      return database('vault_refreshes').insert(
        ids.map((id) => ({ id, entry_id: entryId, cause: 'expiry', ...times, ...row })),
      )
    }
    const held = async (name: string) =>
      (await database('vault_refreshes').whereRaw('id::text like ?', `${prefixOf(name)}-%`)).length
    // Ids sort by age: the doubts and the refusals of this generation are the oldest of all.
    await rows('a', 1, { generation, outcome: 'ambiguous' })
    await rows('b', 4, { generation, outcome: 'refused' })
    await rows('c', 250, { generation: generation - 1, outcome: 'refused' })
    await rows('d', 150, { generation, outcome: 'not_sent' })
    await rows('0', 3, { entry_id: await connect(other), generation, outcome: 'refreshed' })
    site.token = status(400, '{"error":"invalid_client"}')
    await grow({ over: true })
    t.is((await use()).failure.code, 'SITE_UNAVAILABLE')
    t.deepEqual([await held('a'), await held('b'), await held('c'), await held('d')], [1, 4, 49, 150])
    t.is(await held('0'), 3, 'another entry has a history of its own')
    await rest()
    t.is((await use()).failure.code, 'TOOL_EXECUTION_ERROR', 'the fifth refusal was the last, with those of long ago')
    t.is((await outcomes()).filter((outcome) => outcome === 'ambiguous').length, 0, 'it is on a later page')
  },
)

refreshing(
  'a grant without a refresh token is good as long as its access token, and nobody asks for more',
  async (t, { grow, use, entry, site, someone, params, connect }) => {
    await call(someone, vault.removeFromVault, { params })
    site.token = answering({ ...tokenAnswer(), refresh_token: undefined })
    params.entryId = await connect()
    site.tokenForms.length = 0
    await grow({ id: params.entryId })
    t.is((await use('act', params.entryId)).status, 200)
    await grow({ id: params.entryId, over: true })
    t.is((await use('act', params.entryId)).failure.code, 'TOOL_EXECUTION_ERROR')
    t.is((await entry()).status, 'needs_reauth')
    t.deepEqual(site.tokenForms, [])
  },
)

refreshing(
  'of an answer that cannot be used the next refresh token is kept, none is sent twice, and after ten it is over',
  async (t, { grow, rest, use, spent, entry, site }) => {
    let next = ''
    site.token = (request, response) => {
      const answer = tokenAnswer({ token_type: 'DPoP' })
      next ||= answer.refresh_token
      answering(answer)(request, response)
    }
    await grow({ over: true })
    for (let round = 0; round < 12; round += 1) {
      t.not((await use()).status, 200)
      await rest()
    }
    t.deepEqual([spent().length, spent()[1]], [10, next])
    const { status, statusReason } = await entry()
    t.is(status, 'needs_reauth')
    t.regex(statusReason ?? '', /`token_type` is “DPoP”, and only Bearer tokens are supported/)
  },
)
