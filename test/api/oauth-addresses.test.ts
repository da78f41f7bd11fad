import test, { type ExecutionContext } from 'ava'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import { tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { comeBack } from '../helpers/connect.ts'
import { attacks } from '../helpers/hostile-addresses.ts'
import { answering, redirecting, startTraps } from '../helpers/hostile-site.ts'
import { openOAuthStage, type OAuthStage } from './oauth-stage.ts'

/** Hostile addresses in the places of a manifest where OAuth happens, and redirects from there. */

type Member = 'authorization_url' | 'token_url' | 'revocation_url'

async function start(t: ExecutionContext) {
  const stage = await openOAuthStage(t, { TOKEN_TIMEOUT_SECONDS: '20' })
  return { ...stage, traps: await startTraps(t, 3) }
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

for (const member of Object.keys(uses) as Member[]) {
  test(`a hostile ${member} makes a manifest invalid, or comes to nothing without a connection`, async (t) => {
    const stage = await start(t)
    const { site, someone, traps } = stage
    let wellFormed = 0
    for (const [url, code] of attacks(site.host, traps.ports, { once: true })) {
      site.auth[member] = url
      const started = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
      if (code !== 'MANIFEST_NOT_FOUND') {
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
      t.is(traps.connections(), 0, url)
      wellFormed += 1
    }
    t.true(wellFormed > 70)
    t.deepEqual(await stage.entriesOf(), [])
    t.deepEqual(site.strays, [])
    stage.assertSilent()
  })
}

test('no redirect of a token, revocation or tool address is followed, wherever it leads', async (t) => {
  const { site, other, someone, traps, begin, finish, connect, platform, assertSilent } = await start(t)
  const { token, tool } = site
  const trap = `127.0.0.1:${traps.ports[0]}`
  const locations = [`https://${trap}/`, `http://${trap}/`, `//${trap}/`, `https://[::1]:${traps.ports[1]}/`]
    .concat(['https://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', `gopher://${trap}/`])
    .concat([`${other.origin}/token`, `${site.origin}/elsewhere`, '/elsewhere', 'javascript:alert(1)'])
  for (const status of [301, 302, 303, 307, 308])
    for (const location of locations) {
      const note = `${status} ${location}`
      site.token = redirecting(status, location)
      t.is((await finish(await begin())).body.code, 'TOOL_EXECUTION_ERROR', note)
      site.token = token
      site.tool = site.revoke = redirecting(status, location)
      const params = { entryId: await connect() }
      const called = await call(someone, vault.callTool, { params: { ...params, toolName: 'act' }, body: {} })
      t.is(called.failure.code, 'TOOL_EXECUTION_ERROR', note)
      t.is((await call(someone, vault.removeFromVault, { params })).status, 204, note)
      site.tool = tool
    }
  t.is(site.revokeForms.length, 5 * locations.length)
  t.is(traps.connections(), 0)
  t.deepEqual([...site.strays, ...other.strays, ...other.tokenForms], [])
  t.true(platform.logs.some((line) => line.includes('was not revoked')))
  assertSilent()
})

test('a Refresh or a Link header of a token answer moves nobody', async (t) => {
  const { site, traps, connect } = await start(t)
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
