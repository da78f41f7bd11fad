import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { attacks } from '../helpers/hostile-addresses.ts'
import { answering, manifestWith, redirecting, startHostileSite, startTraps } from '../helpers/hostile-site.ts'
import { customer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'

async function start(t: ExecutionContext) {
  const sites = await startSites(t)
  const [site, other] = [await startHostileSite(t), await startHostileSite(t)]
  const traps = await startTraps(t, 3)
  const env = {
    SITE_ALLOW: [...sites.allow, site.host, other.host].join(','),
    MANIFEST_TIMEOUT_SECONDS: '20',
    SITE_TIMEOUT_SECONDS: '20',
  }
  const platform = await startPlatform(t, { sites, env })
  return { sites, site, other, traps, platform, someone: await customer(platform) }
}

test('a hostile address given as a site is refused by its code, and nobody is connected to', async (t) => {
  const { sites, traps, someone } = await start(t)
  for (const [url, code] of attacks(new URL(sites.tracker.origin).host, traps.ports)) {
    const { failure } = await call(someone, vault.inspectSite, { body: { url } })
    t.is(failure.code, code, url)
    const { failure: refused } = await call(someone, vault.addToVault, { body: { url, token: 'a-token' } })
    t.deepEqual(refused, failure, url)
    t.is(traps.connections(), 0, url)
  }
})

test('where nothing answers, the reason does not tell whether anything is there', async (t) => {
  const { traps, sites, someone } = await start(t)
  const urls = [
    `https://127.0.0.1:${traps.ports[0]}`,
    'https://10.0.0.1',
    'https://no-such-name.invalid',
    sites.deadOrigin,
  ]
  const said = new Set<string>()
  for (const url of urls) said.add((await call(someone, vault.inspectSite, { body: { url } })).failure.error)
  t.is(said.size, 1)
})

test('the traps would have noticed: an address that is allowed is connected to', async (t) => {
  const traps = await startTraps(t, 1)
  const host = `127.0.0.1:${traps.ports[0]}`
  const someone = await customer(await startPlatform(t, { env: { SITE_ALLOW: host } }))
  const { failure } = await call(someone, vault.inspectSite, { body: { url: `https://${host}` } })
  t.is(failure.code, 'MANIFEST_NOT_FOUND')
  t.is(traps.connections(), 1)
})

const callAct = (someone: Person, entryId: string) =>
  call(someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })

test('a hostile server.url makes a manifest invalid, or its calls fail without a connection', async (t) => {
  const { sites, traps, someone } = await start(t)
  const { brokenManifest: site } = sites
  let connected = 0
  for (const [url, code] of attacks(new URL(site.origin).host, traps.ports, { once: true })) {
    site.serve({ body: JSON.stringify(manifestWith(url)) })
    const wellFormed = code === 'MANIFEST_NOT_FOUND' && !url.includes('?')
    const inspected = await call(someone, vault.inspectSite, { body: { url: site.origin } })
    const body = { url: site.origin, token: 'canary-token' }
    if (!wellFormed) {
      t.is(inspected.failure.code, 'MANIFEST_INVALID', url)
      t.true(
        inspected.failure.details?.some(({ path }) => path === 'server.url'),
        url,
      )
      t.is((await call(someone, vault.addToVault, { body })).failure.code, 'MANIFEST_INVALID', url)
      continue
    }
    const { foreignHosts } = inspected.body
    if (foreignHosts.length > 0) {
      const { failure } = await call(someone, vault.addToVault, { body })
      t.is(failure.code, 'VALIDATION_ERROR', url)
      t.deepEqual(
        failure.details?.map(({ path }) => path),
        ['acceptHosts'],
      )
      t.true(failure.error.includes(foreignHosts[0] ?? '?'), url)
    }
    const entry = await call(someone, vault.addToVault, { body: { ...body, acceptHosts: foreignHosts } })
    const { failure } = await callAct(someone, entry.body.id)
    t.is(failure.code, 'SITE_UNAVAILABLE', url)
    t.is(failure.error, 'The site could not be reached.', url)
    t.is(traps.connections(), 0, url)
    await call(someone, vault.removeFromVault, { params: { entryId: entry.body.id } })
    connected += 1
  }
  t.true(connected > 70)
})

test('a redirect is never followed, wherever it leads, for a manifest or for a tool call', async (t) => {
  const { site, other, traps, someone } = await start(t)
  let arrived = 0
  other.manifest = other.tool = (_request, response) => {
    arrived += 1
    response.writeHead(200).end(JSON.stringify(manifestWith(`${other.origin}/api`)))
  }
  const entry = await call(someone, vault.addToVault, { body: { url: site.origin, token: 'canary-token' } })
  const trap = `127.0.0.1:${traps.ports[0]}`
  const locations = [
    `${other.origin}/.well-known/toolsite.json`,
    `${site.origin}/.well-known/toolsite.json`,
    '/elsewhere',
    '',
    `https://${trap}/`,
    `http://${trap}/`,
    `//${trap}/`,
    `https://[::1]:${traps.ports[1]}/`,
    'https://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    `gopher://${trap}/`,
    'javascript:alert(1)',
    'not an address',
  ]
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    for (const location of locations) {
      site.manifest = site.tool = redirecting(status, location)
      const { failure } = await call(someone, vault.inspectSite, { body: { url: site.origin } })
      t.is(failure.code, 'MANIFEST_NOT_FOUND', `${status} ${location}`)
      const called = await callAct(someone, entry.body.id)
      t.is(called.failure.code, 'TOOL_EXECUTION_ERROR', `${status} ${location}`)
    }
  }
  t.is(arrived, 0)
  t.is(traps.connections(), 0)
})

test('a Refresh header and a Link header move nobody', async (t) => {
  const { site, traps, someone } = await start(t)
  const trap = `https://127.0.0.1:${traps.ports[0]}/`
  const headers = { Refresh: `0; url=${trap}`, Link: `<${trap}>; rel=preload`, 'Content-Location': trap }
  site.manifest = (_request, response) =>
    void response.writeHead(200, headers).end(JSON.stringify(manifestWith(`${site.origin}/api`)))
  site.tool = (_request, response) => void response.writeHead(200, headers).end('{"done":true}')
  const entry = await call(someone, vault.addToVault, { body: { url: site.origin, token: 'canary-token' } })
  t.deepEqual((await callAct(someone, entry.body.id)).body.result, { done: true })
  site.manifest = answering(`<meta http-equiv="refresh" content="0; url=${trap}">`, 'text/html')
  t.is((await call(someone, vault.inspectSite, { body: { url: site.origin } })).failure.code, 'MANIFEST_INVALID')
  t.is(traps.connections(), 0)
})
