// @promise addresses
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import { CodedError } from '../../src/errors.ts'
import { readAllowedSites } from '../../src/safe-fetch/allowed-sites.ts'
import { unreached } from '../../src/safe-fetch/unreached-site.ts'
import { call } from '../helpers/client.ts'
import { attacks, oneOfEachKind } from '../helpers/hostile-addresses.ts'
import { manifestWith, redirecting, startHostileSite, startTraps } from '../helpers/hostile-site.ts'
import { person, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const shared = forWholeFile(test, 'hostile addresses', async (t) => {
  const sites = await startSites(t)
  const [site, other] = [await startHostileSite(t), await startHostileSite(t)]
  const allowedTrap = await startTraps(t, 1)
  const more = [site.host, other.host, `127.0.0.1:${allowedTrap.ports[0]}`]
  const env = {
    SITE_ALLOW: [...sites.allow, ...more].join(','),
    MANIFEST_TIMEOUT_SECONDS: '20',
    SITE_TIMEOUT_SECONDS: '20',
  }
  const platform = await startPlatform(t, { sites, env })
  return { sites, site, other, allowedTrap, platform, someone: await person(platform) }
})

/** What all tests share, and traps of this test's own. */
const start = async (t: ExecutionContext) => ({ ...(await shared()), traps: await startTraps(t, 3) })

test('a hostile address given as a site is refused by its code, and nobody is connected to', async (t) => {
  const { sites, traps, platform, someone } = await start(t)
  const all = [...attacks(new URL(sites.tracker.origin).host, traps.ports)]
  const [usable, unusable] = [all.filter(([, code]) => code !== 'VALIDATION_ERROR'), all.filter(isUnusable)]
  for (const [url, code] of usable) t.is(await codeOf(platform.services.sites.discover(url, 'someone')), code, url)
  for (const [url, code] of [...oneOfEachKind(usable), ...unusable]) {
    const { failure } = await call(someone, siteInspection.inspectSite, { body: { url } })
    t.is(failure.code, code, url)
    const { failure: refused } = await call(someone, vault.addToVault, { body: { url, token: 'a-token' } })
    t.deepEqual(refused, failure, url)
  }
  t.true(all.length > 350)
  t.is(traps.connections(), 0)
})

/** A host that is refused as it is written; a name is refused on connecting. */
const nothing = readAllowedSites({ allow: [], loopback: false })
const isPrivateHost = (url: URL): boolean => nothing.refuses(url)

const isUnusable = ([, code]: readonly [string, string, string]): boolean => code === 'VALIDATION_ERROR'

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof CodedError ? error.code : error),
  )

test('where nothing answers, the reason does not tell whether anything is there', async (t) => {
  const { sites, someone } = await start(t)
  // A name of this machine that is not written as one.
  const urls = ['https://localhost.localdomain', 'https://no-such-name.invalid', sites.deadOrigin]
  const said = new Set<string>()
  for (const url of urls) said.add((await call(someone, siteInspection.inspectSite, { body: { url } })).failure.error)
  t.is(said.size, 1)
})

test('a user inspects at most 60 sites a minute, because each look costs the site several requests', async (t) => {
  const { platform } = await start(t)
  const someone = await person(platform)
  const inspect = async () =>
    (await call(someone, siteInspection.inspectSite, { body: { url: 'https://no-such-name.invalid' } })).failure.code
  const codes = await Promise.all(Array.from({ length: 61 }, inspect))
  t.is(codes.filter((code) => code === 'RATE_LIMITED').length, 1)
})

test('the traps would have noticed: an address that is allowed is connected to', async (t) => {
  const { someone, allowedTrap } = await start(t)
  const url = `https://127.0.0.1:${allowedTrap.ports[0]}`
  t.is((await call(someone, siteInspection.inspectSite, { body: { url } })).failure.code, 'MANIFEST_NOT_FOUND')
  t.is(allowedTrap.connections(), 1)
})

const callAct = (someone: Person, entryId: string) =>
  call(someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })

const isWellFormed = ([url, code]: readonly [string, string, string]): boolean =>
  code === 'MANIFEST_NOT_FOUND' && !url.includes('?')

test('a hostile server.url of each kind comes to nothing, all the way from the manifest to the call', async (t) => {
  const { sites, traps, someone } = await start(t)
  const { brokenManifest: site } = sites
  const all = [...attacks(new URL(site.origin).host, traps.ports, { once: true })]
  let names = 0
  const byName = all.filter((one) => isWellFormed(one) && !isPrivateHost(new URL(one[0])))
  for (const attack of [...oneOfEachKind(all), ...oneOfEachKind(byName)]) {
    const [url] = attack
    site.serve({ body: JSON.stringify(manifestWith(url)) })
    const inspected = await call(someone, siteInspection.inspectSite, { body: { url: site.origin } })
    const body = { url: site.origin, token: 'canary-token' }
    if (!isWellFormed(attack)) {
      t.is(inspected.failure.code, 'MANIFEST_INVALID', url)
      t.true(inspected.failure.details?.some(({ path }) => path === 'server.url') ?? false, url)
      t.is((await call(someone, vault.addToVault, { body })).failure.code, 'MANIFEST_INVALID', url)
      continue
    }
    if (isPrivateHost(new URL(url))) {
      t.is(inspected.failure.code, 'MANIFEST_INVALID', url)
      t.deepEqual(inspected.failure.details, [{ path: 'server.url', message: 'is not a public internet address' }])
      continue
    }
    names += 1
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
    t.is(failure.error, unreached, url)
    await call(someone, vault.removeFromVault, { params: { entryId: entry.body.id } })
  }
  t.true(names > 0, 'names are refused on connecting')
  t.is(traps.connections(), 0)
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
    '/elsewhere',
    `https://${trap}/`,
    `http://${trap}/`,
    'https://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
  ]
  for (const [index, status] of [300, 301, 302, 303, 304, 307, 308].entries()) {
    const location = locations[index % locations.length] ?? ''
    site.manifest = site.tool = redirecting(status, location)
    const { failure } = await call(someone, siteInspection.inspectSite, { body: { url: site.origin } })
    t.is(failure.code, 'MANIFEST_NOT_FOUND', `${status} ${location}`)
    const called = await callAct(someone, entry.body.id)
    t.is(called.failure.code, 'TOOL_EXECUTION_ERROR', `${status} ${location}`)
  }
  t.is(arrived, 0)
  t.is(traps.connections(), 0)
})
