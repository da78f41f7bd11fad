import test, { type ExecutionContext } from 'ava'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import { CodedError } from '../../src/errors.ts'
import { readAllowedSites } from '../../src/safe-fetch/allowed-sites.ts'
import { SafeFetchError } from '../../src/safe-fetch/safe-fetch.ts'
import { parseManifest } from '../../src/sites/manifest/manifest.ts'
import { createOAuthClient, type OAuthClient, type OAuthSite } from '../../src/vault/oauth/oauth-client.ts'
import { tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { comeBack } from '../helpers/connect.ts'
import { attacks, oneOfEachKind } from '../helpers/hostile-addresses.ts'
import { answering, manifestWith, redirecting, startTraps } from '../helpers/hostile-site.ts'
import { shareOAuthPlatform, type OAuthStage } from './oauth-stage.ts'

/** Hostile addresses in the places of a manifest where OAuth happens, and redirects from there. */

type Member = 'authorization_url' | 'token_url' | 'revocation_url'

const another = shareOAuthPlatform(test, 'hostile addresses of OAuth', { TOKEN_TIMEOUT_SECONDS: '20' })

type Stage = OAuthStage & { traps: Awaited<ReturnType<typeof startTraps>> }

function attacked(title: string, work: (t: ExecutionContext, stage: Stage) => Promise<void>): void {
  const open = another()
  test(title, async (t) => work(t, { ...(await open(t)), traps: await startTraps(t, 3) }))
}

/** What the client of OAuth makes of an address that is acceptable in form. */
const asks: Record<Member, (t: ExecutionContext, client: OAuthClient, site: OAuthSite, url: string) => unknown> = {
  async authorization_url(t, client, site, url) {
    const ask = { clientId: 'switchyard', scopes: [], state: 'state', verifier: client.newVerifier() }
    const location = new URL(await client.authorizeUrl(site, ask))
    t.deepEqual([location.protocol, location.host], ['https:', new URL(url).host], url)
  },
  async token_url(t, client, site, url) {
    const back = client.checkCallback(site, 'switchyard', new URLSearchParams({ code: 'code', state: 's' }), 's')
    t.is((await client.exchange(site, 'switchyard', back, client.newVerifier())).kind, 'not_sent', url)
    t.is((await client.refresh(site, 'switchyard', 'a-refresh-token')).kind, 'not_sent', url)
  },
  async revocation_url(t, client, site, url) {
    await t.throwsAsync(client.revoke(site, 'switchyard', 'a-token'), { instanceOf: SafeFetchError }, url)
  },
}

/** What becomes of a flow for a site whose manifest has this address, which is acceptable in form. */
const uses: Record<Member, (t: ExecutionContext, stage: OAuthStage, acceptHosts: string[], url: string) => unknown> = {
  // The platform only sends the browser there.
  async authorization_url(t, { site, someone, platform }, acceptHosts, url) {
    const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin, acceptHosts } })
    const opened = await comeBack(platform, body.connectUrl, '')
    t.is(opened.status, 303, url)
    const location = new URL(opened.headers.get('location') ?? '')
    t.deepEqual([location.protocol, location.host], ['https:', new URL(url).host], url)
  },
  async token_url(t, { site, begin, finish, flowOf }, acceptHosts, url) {
    const attempt = await begin(site, { acceptHosts })
    const { body } = await finish(attempt)
    t.is(body.code, 'SITE_UNAVAILABLE', url)
    t.is(body.error, "The site's token address could not be reached.", url)
    t.like(await flowOf(attempt), { status: 'failed', code: 'SITE_UNAVAILABLE' })
  },
  async revocation_url(t, { site, connect, someone }, acceptHosts, url) {
    const entryId = await connect(site, { acceptHosts })
    const removed = await call(someone, vault.removeFromVault, { params: { entryId } })
    t.is(removed.status, 204, url)
  },
}

/** A host that is refused as it is written. */
const nothing = readAllowedSites({ allow: [], loopback: false })
const isPrivateHost = (url: URL): boolean => nothing.refuses(url)

for (const member of Object.keys(uses) as Member[]) {
  attacked(
    `a hostile ${member} makes a manifest invalid, or comes to nothing without a connection`,
    async (t, stage) => {
      const { site, traps, platform } = stage
      const client = createOAuthClient({ fetch: platform.services.fetch, config: platform.config })
      let wellFormed = 0
      for (const [url, code] of attacks(site.host, traps.ports, { once: true })) {
        const written = manifestWith(`${site.origin}/api`, { auth: { ...site.auth, [member]: url } })
        const read = () => parseManifest(Buffer.from(JSON.stringify(written)))
        if (code !== 'MANIFEST_NOT_FOUND') {
          const error = t.throws(read, { instanceOf: CodedError }, url)
          t.is(error?.code, 'MANIFEST_INVALID', url)
          t.true(error?.details?.some(({ path }) => path === `auth.${member}`) ?? false, url)
          continue
        }
        await asks[member](t, client, read().auth as OAuthSite, url)
        wellFormed += 1
      }
      t.true(wellFormed > 70)
      t.is(traps.connections(), 0)
    },
  )

  attacked(`a hostile ${member} of each kind comes to nothing, all the way through a flow`, async (t, stage) => {
    const { site, someone, traps } = stage
    const all = [...attacks(site.host, traps.ports, { once: true })]
    const byName = all.filter(([url, code]) => code === 'MANIFEST_NOT_FOUND' && !isPrivateHost(new URL(url)))
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
        t.is(started.failure.code, 'VALIDATION_ERROR', url)
        t.is(started.failure.details?.[0]?.path, 'acceptHosts', url)
        acceptHosts.push(new URL(url).hostname)
      }
      await uses[member](t, stage, acceptHosts, url)
      used += 1
    }
    t.true(used > 0, 'names are refused on connecting')
    t.is(traps.connections(), 0)
    t.deepEqual(await stage.entriesOf(), [])
    t.deepEqual(site.strays, [])
    stage.assertSilent()
  })
}

// @promise addresses
attacked('no redirect of a token, revocation or tool address is followed, wherever it leads', async (t, stage) => {
  const { site, other, someone, traps, begin, finish, flowOf, connect, platform, assertSilent } = stage
  const { token, tool } = site
  const trap = `127.0.0.1:${traps.ports[0]}`
  const locations = [`https://${trap}/`, `http://${trap}/`, `//${trap}/`, `https://[::1]:${traps.ports[1]}/`]
    .concat(['https://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', `gopher://${trap}/`])
    .concat([`${other.origin}/token`, `${site.origin}/elsewhere`, '/elsewhere', 'javascript:alert(1)', ''])
  const statuses = [301, 302, 303, 307, 308]
  // Every location once, and every status with several locations.
  for (const [index, location] of locations.entries()) {
    const status = statuses[index % statuses.length] ?? 0
    const note = `${status} ${location}`
    site.token = redirecting(status, location)
    const attempt = await begin()
    t.is((await finish(attempt)).body.code, 'TOOL_EXECUTION_ERROR', note)
    t.like(await flowOf(attempt), { status: 'failed', entryId: null, code: 'TOOL_EXECUTION_ERROR' }, note)
    site.token = token
    site.tool = site.revoke = redirecting(status, location)
    const params = { entryId: await connect() }
    const called = await call(someone, vault.callTool, { params: { ...params, toolName: 'act' }, body: {} })
    t.is(called.failure.code, 'TOOL_EXECUTION_ERROR', note)
    t.is((await call(someone, vault.removeFromVault, { params })).status, 204, note)
    site.tool = tool
  }
  t.is(site.revokeForms.length, locations.length)
  t.is(traps.connections(), 0)
  t.deepEqual([...site.strays, ...other.strays, ...other.tokenForms], [])
  t.true(platform.logs.some((line) => line.includes('was not revoked')))
  assertSilent()
})

attacked('a Refresh or a Link header of a token answer moves nobody', async (t, { site, traps, connect }) => {
  const trap = `https://127.0.0.1:${traps.ports[0]}/`
  site.token = (request, response) => {
    response.setHeader('Refresh', `0; url=${trap}`)
    response.setHeader('Link', `<${trap}>; rel=preload`)
    response.setHeader('Content-Location', trap)
    answering(tokenAnswer())(request, response)
  }
  await connect()
  t.is(traps.connections(), 0)
})
