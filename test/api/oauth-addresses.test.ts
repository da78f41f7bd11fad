// @promise addresses
import test, { type ExecutionContext } from 'ava'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import { readAllowedSites } from '../../src/safe-fetch/allowed-sites.ts'
import { call } from '../helpers/client.ts'
import { comeBack } from '../helpers/connect.ts'
import { attacks, oneOfEachKind } from '../helpers/hostile-addresses.ts'
import { redirecting, startTraps } from '../helpers/hostile-site.ts'
import { openOAuthStage, type OAuthStage } from './oauth-stage.ts'

/** Hostile addresses in the places of a manifest where OAuth happens, and redirects from there. */

type Member = 'authorization_url' | 'token_url' | 'revocation_url'

/** What becomes of a flow for a site whose manifest has this address, which is acceptable in form. */
const uses: Record<Member, (t: ExecutionContext, stage: OAuthStage, acceptHosts: string[], url: string) => unknown> = {
  // The platform only sends the browser there.
  async authorization_url(t, { site, someone, platform }, acceptHosts, url) {
    const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin, acceptHosts } })
    const opened = await comeBack(platform, body.connectUrl, '')
    const location = new URL(opened.headers.get('location') ?? '')
    t.deepEqual([opened.status, location.protocol, location.host], [303, 'https:', new URL(url).host], url)
  },
  async token_url(t, { site, begin, finish, flowOf }, acceptHosts, url) {
    const attempt = await begin(site, { acceptHosts })
    const { body } = await finish(attempt)
    t.is(body.error, "The site's token endpoint could not be reached.", url)
    t.like(await flowOf(attempt), { status: 'failed', code: 'SITE_UNAVAILABLE' })
  },
  async revocation_url(t, { site, connect, someone }, acceptHosts, url) {
    const entryId = await connect(site, { acceptHosts })
    t.is((await call(someone, vault.removeFromVault, { params: { entryId } })).status, 204, url)
  },
}

/** A host that is refused as it is written. */
const nothing = readAllowedSites({ allow: [], loopback: false })
const isPrivateHost = (url: URL): boolean => nothing.refuses(url)

test('hostile addresses of each kind come to nothing, whatever member has them, all the way through a flow', async (t) => {
  const stage = await openOAuthStage(t)
  const traps = await startTraps(t, 2)
  const { site, someone } = stage
  const all = [...attacks(site.host, traps.ports, { once: true })]
  const byName = all.filter(([url, code]) => code === 'MANIFEST_NOT_FOUND' && !isPrivateHost(new URL(url)))
  for (const member of Object.keys(uses) as Member[]) {
    const before = site.auth[member]
    let used = 0
    for (const [url, code] of [...oneOfEachKind(all), ...oneOfEachKind(byName)]) {
      site.auth[member] = url
      const started = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
      if (code !== 'MANIFEST_NOT_FOUND' || isPrivateHost(new URL(url))) {
        t.is(started.failure.code, 'MANIFEST_INVALID', url)
        t.true(started.failure.details?.some(({ path }) => path === `auth.${member}`) ?? false, url)
        continue
      }
      const acceptHosts: string[] = []
      if (started.status !== 201) {
        t.is(started.failure.details?.[0]?.path, 'acceptHosts', url)
        acceptHosts.push(new URL(url).hostname)
      }
      await uses[member](t, stage, acceptHosts, url)
      used += 1
    }
    t.true(used > 0, 'names are refused on connecting')
    site.auth[member] = before
  }
  t.is(traps.connections(), 0)
  t.deepEqual(await stage.entriesOf(), [])
  t.deepEqual(site.strays, [])
  stage.assertSilent()
})

test('no redirect of a token, revocation or tool address is followed, wherever it leads', async (t) => {
  const { site, other, someone, begin, finish, connect, platform, assertSilent } = await openOAuthStage(t)
  const { token, tool } = site
  for (const location of [`${other.origin}/token`, '/elsewhere', 'file:///etc/passwd']) {
    site.token = redirecting(307, location)
    t.is((await finish(await begin())).body.code, 'TOOL_EXECUTION_ERROR', location)
    site.token = token
    site.tool = site.revoke = redirecting(308, location)
    const params = { entryId: await connect() }
    const called = await call(someone, vault.callTool, { params: { ...params, toolName: 'act' }, body: {} })
    t.is(called.failure.code, 'TOOL_EXECUTION_ERROR', location)
    t.is((await call(someone, vault.removeFromVault, { params })).status, 204, location)
    site.tool = tool
  }
  t.is(site.revokeForms.length, 3)
  t.deepEqual([...site.strays, ...other.strays, ...other.tokenForms], [])
  t.true(platform.logs.some((line) => line.includes('failed to revoke a grant')))
  assertSilent()
})
