import type { LookupAddress } from 'node:dns'
import test, { type ExecutionContext } from 'ava'
import type { Lookup } from '../../../../src/safe-fetch/checked-lookup.ts'
import { createSafeFetch } from '../../../../src/safe-fetch/safe-fetch.ts'
import { createOAuthClient, type OAuthSite } from '../../../../src/vault/oauth/oauth-client.ts'
import { tokenAnswer } from '../../../helpers/bare-oauth-site.ts'
import { testConfig } from '../../../helpers/config.ts'
import { answering } from '../../../helpers/hostile-site.ts'
import { startHttpsSite, temporaryCertificates } from '../../../helpers/https-server.ts'

const config = testConfig('postgres://user@127.0.0.1/switchyard')

/** A site whose tokens are asked for by this name, through this resolver; it is on the loopback in truth. */
async function open(
  t: ExecutionContext,
  lookup: Lookup,
  { name, allow = () => [] }: { name: string; allow?: (port: number) => string[] },
) {
  const site = await startHttpsSite(t, answering(tokenAnswer()))
  const { caFile } = await temporaryCertificates()
  const safeFetch = createSafeFetch({
    allow: allow(site.port),
    loopback: true,
    caFile,
    baseUrl: 'https://me.example',
    version: '1',
    lookup,
  })
  t.teardown(safeFetch.close)
  const client = createOAuthClient({ fetch: safeFetch.fetch, config })
  const address = (path: string): string => `https://${name}:${site.port}/${path}`
  const auth: OAuthSite = {
    type: 'oauth2',
    authorization_url: address('authorize'),
    token_url: address('token'),
    revocation_url: address('revoke'),
    scopes: ['read'],
  }
  const refresh = () => client.refresh(auth, 'switchyard', 'a-refresh-token')
  const revoke = () => client.revoke(auth, 'switchyard', 'a-refresh-token')
  return { ...site, refresh, revoke, close: safeFetch.close }
}

const toAddress = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })

const unreachable = {
  kind: 'not_sent' as const,
  message: "The site's token address could not be reached.",
  unreachable: true,
}

test('a token request to a name that is public at first and private later is refused before it connects', async (t) => {
  const answers = [['1.1.1.1'], ['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::1']]
  let lookups = 0
  const asked = Promise.withResolvers<() => void>()
  const lookup: Lookup = (_hostname, _options, callback) => {
    const addresses = (answers[lookups++] ?? []).map(toAddress)
    // The public answer comes when nobody waits for it any more: this test leaves no machine.
    if (lookups === 1) asked.resolve(() => callback(null, addresses))
    else callback(null, addresses)
  }
  const before = await open(t, lookup, { name: 'site.example' })
  const first = before.refresh()
  const answerLate = await asked.promise
  await before.close()
  answerLate()
  t.is((await first).kind, 'not_sent')

  const site = await open(t, lookup, { name: 'site.example' })
  t.deepEqual(await site.refresh(), unreachable)
  t.deepEqual(await site.refresh(), unreachable)
  await t.throwsAsync(site.revoke(), { name: 'SafeFetchError' })
  t.is(lookups, 4, 'every request looks its host up once')
  t.is(site.connections() + before.connections(), 0)
})

test('the same request goes through where the address is allowed', async (t) => {
  const lookup: Lookup = (_hostname, _options, callback) => callback(null, [toAddress('127.0.0.1')])
  const site = await open(t, lookup, { name: 'localhost', allow: (port) => [`localhost:${port}`] })
  t.is((await site.refresh()).kind, 'granted')
  t.is((await site.refresh()).kind, 'granted')
  t.is(site.connections(), 2, 'no connection outlives the judgement of its address')
})
