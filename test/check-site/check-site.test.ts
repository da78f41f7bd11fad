// @promise check-site
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface, type Interface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { checkSite, groups, type Report } from '../../check-site/check-site.ts'
import type { CheckOptions, Wish } from '../../check-site/options.ts'
import { startContacts } from '../../examples/sites/contacts/server.ts'
import { startBrokenManifest } from '../../examples/sites/broken-manifest/server.ts'
import { variants, type Variant } from '../../examples/sites/broken-manifest/variants.ts'
import { bearerDefects } from '../helpers/defects-of-sites/bearer-defects.ts'
import type { Expected } from '../helpers/defects-of-sites/changes.ts'
import { goodToken, limitedToken, redirectUri } from '../helpers/defects-of-sites/defect.ts'
import { createDefectiveSite } from '../helpers/defects-of-sites/defective-site.ts'
import { oauthDefects } from '../helpers/defects-of-sites/oauth-defects.ts'
import { bearer, burst, closedPort, finds, found, limitChecks, thorough } from '../helpers/defects-of-sites/reports.ts'
import { startDefectiveSite } from '../helpers/defects-of-sites/site.ts'
import { asPerson, doorTo, nowhere, signedInAt } from '../helpers/defects-of-sites/without-network.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { ownEnvironment } from '../helpers/servers.ts'
import { signIn } from '../helpers/sign-in.ts'
import { askSite, startSites } from '../helpers/sites.ts'

/** Over the network, as the platform would ask. What the checker makes of answers is in the tests of defects. */
async function check(site: string, more: Partial<CheckOptions> = {}): Promise<Report> {
  const { caFile } = await temporaryCertificates()
  const allow = [URL.parse(site)?.host ?? ''].filter((host) => host.includes(':'))
  return checkSite({ ...thorough, allow, caFile, site, ...more })
}

/** A browser whose user has signed in already: the site redirects it back at once. */
const authorize = async (url: string, wish: Wish): Promise<string> =>
  String((await askSite(asPerson(url, wish))).headers['location'])
const oauth = { oauth: { clientId: 'switchyard', redirectUri, authorize } }

test('the checker has nothing against the issue tracker, and tries everything', async (t) => {
  const { tracker } = await startSites(t, { limits: { perToken: 60 } })
  const token = tracker.createToken('kim', 'admin')
  const report = await check(tracker.origin, { token, limitedToken: tracker.createToken('lee', 'reader'), burst: 70 })
  // Two of its tools do something else each time, and it says nothing about them on purpose.
  finds(t, report, { warns: ['tool-effects'] })
  t.deepEqual(found(report, 'skipped'), [])
})

test('the checker has nothing against the contacts, with a sign-in, and tries everything that the site has', async (t) => {
  const site = await startContacts({ port: 0, tls: await temporaryCertificates(), redirectUris: [redirectUri] })
  t.teardown(site.close)
  const report = await check(site.origin, {
    oauth: {
      clientId: 'switchyard',
      redirectUri,
      authorize: (url, decide) => signIn(url, { user: 'ada', password: 'ada-password', decide }),
      scopes: ['read', 'write', 'delete', 'admin'],
    },
  })
  finds(t, report, {})
  // It has no limits, and to whom everything is granted nothing is refused.
  t.deepEqual(found(report, 'skipped'), ['permission', 'permission-body', ...limitChecks, 'scope-enforced'])
})

test('the checker has nothing against the small good sites that the defective ones are made from, with and without a network', async (t) => {
  const plain = await check((await startDefectiveSite(t, {})).origin, burst)
  finds(t, plain, {})
  t.deepEqual(found(plain, 'skipped'), [])
  const silent = createDefectiveSite(nowhere, {})
  t.deepEqual(await checkSite({ ...thorough, ...burst, site: nowhere }, doorTo(silent)), { ...plain, site: nowhere })

  const signedIn = await check((await startDefectiveSite(t, {}, { oauth: true })).origin, oauth)
  finds(t, signedIn, {})
  t.deepEqual(found(signedIn, 'skipped'), ['same-key', 'permission', 'permission-body', ...limitChecks])
  const authorizing = createDefectiveSite(nowhere, {}, { oauth: true })
  const inside = { oauth: { ...oauth.oauth, authorize: signedInAt(authorizing) }, site: nowhere }
  t.deepEqual(await checkSite({ ...thorough, ...inside }, doorTo(authorizing)), { ...signedIn, site: nowhere })
})

test('the checker finds that an address is not https, and that the manifest is to be had over plain HTTP', async (t) => {
  finds(t, await check('http://site.example'), { fails: ['site-address'] })
  const site = await startDefectiveSite(t, {})
  const plain = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  t.teardown(() => void plain.close())
  await once(plain, 'listening')
  const { port } = plain.address() as AddressInfo
  finds(t, await check(site.origin, { ...bearer, httpPort: port }), { fails: ['plain-http'] })
})

const brokenManifests: Record<Variant, Expected> = {
  'several-rules': { fails: ['manifest-shape'] },
  'not-json': { fails: ['manifest-shape'] },
  html: { fails: ['manifest-shape'], warns: ['manifest-type'] },
  'not-utf8': { fails: ['manifest-shape'] },
  array: { fails: ['manifest-shape'] },
  'too-large': { fails: ['manifest-size'] },
  'not-found': { fails: ['manifest-status'] },
  'server-error': { fails: ['manifest-status'] },
  redirect: { fails: ['manifest-status'] },
  // Its tools would be on a host that does not exist.
  'foreign-host': { fails: ['tools-reached'], warns: ['manifest-hosts', 'tool-effects', 'tool-scopes'] },
}
for (const variant of Object.keys(variants) as Variant[]) {
  test(`the checker finds what is wrong with the broken manifest ${variant}`, async (t) => {
    const site = await startBrokenManifest({ port: 0, tls: await temporaryCertificates(), variant })
    t.teardown(site.close)
    finds(t, await check(site.origin), brokenManifests[variant])
  })
}

/** The checks that the tools of the bad site fail, by name. */
const badTools = {
  'answer-status': ['fail'],
  'answer-time': ['hang'],
  'answer-whole': ['reset'],
  'answer-redirect': ['redirect'],
  'answer-size': ['too_large', 'compressed_bomb', 'endless'],
  'answer-utf8': ['not_utf8'],
  'answer-page': ['not_json'],
  'answer-object': ['not_object'],
}

test('the checker finds each of the bad tools, once it may call them all', async (t) => {
  const { badTools: site } = await startSites(t)
  const careful = await check(site.origin, { token: 'any', callAll: false })
  // It takes any token but one, which is a defect, too.
  finds(t, careful, { fails: ['wrong-token'], warns: ['tool-effects', 'tool-scopes', 'www-authenticate'] })
  // Once that one has hung; a busy machine takes long to unpack what another has packed.
  const { checked } = await check(site.origin, { token: 'any', timeoutSeconds: 8 })
  const { 'wrong-token': _any, ...why } = Object.fromEntries(
    checked.flatMap(({ check: { id }, finding }) =>
      finding.result === 'failed' ? [[id, finding.why.map((line) => line.split(' ')[0])]] : [],
    ),
  )
  t.deepEqual(why, badTools)
})

test('every check finds a defect of some site', (t) => {
  const defects = [bearerDefects, oauthDefects, brokenManifests].flatMap((all): Expected[] => Object.values(all))
  // These are in the tests of connections, and above.
  const others = ['site-address', 'site-reached', 'certificate', 'plain-http', ...Object.keys(badTools)]
  const named = new Set([...defects.flatMap(({ fails = [], warns = [] }) => [...fails, ...warns]), ...others])
  const ids = groups.flatMap(({ checks }) => checks.map(({ id }) => id))
  t.deepEqual(
    ids.filter((id) => !named.has(id)),
    [],
  )
  t.is(new Set(ids).size, ids.length)
})

test('without leave no tool gets arguments that fit, but those that read', async (t) => {
  const { tracker } = await startSites(t)
  await check(tracker.origin, { token: tracker.createToken('kim', 'admin'), callAll: false })
  const succeeded = tracker.requests().filter(({ status }) => status === 200)
  t.deepEqual([...new Set(succeeded.map(({ tool }) => tool))].toSorted(), ['get_issue', 'search_issues'])
})

/** Neither a database nor keys are in its environment; the code that is compiled already saves time only. */
const env = { NODE_COMPILE_CACHE: ownEnvironment()['NODE_COMPILE_CACHE'] ?? '' }

/** `npm run check-site`, trusting the site and its authority; with `client` somebody is asked to sign in. */
async function startCommand(t: ExecutionContext, origin: string, ...more: string[]) {
  const { caFile } = await temporaryCertificates()
  const trusting = ['--ca-file', caFile, '--allow', new URL(origin).host]
  const child = spawn(process.execPath, ['bin/check-site.ts', origin, ...trusting, ...more], { env })
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit').then(([code]) => code as unknown)
  return { child, exit, report: text(child.stdout), prompts: createInterface(child.stderr) }
}

const client = ['--client-id', 'switchyard', '--redirect-uri', redirectUri]

interface JsonReport {
  checks: { id: string; result: string }[]
}

test('the command needs neither database nor keys, and its exit code is the result', async (t) => {
  const good = await startDefectiveSite(t, {})
  const args = ['--token', goodToken, '--token-limited', limitedToken, '--http-port', String(closedPort), '--strict']
  const whole = await startCommand(t, good.origin, ...args, '--call-all', '--burst', '70', '--patience', '0')
  t.regex(await whole.report, /\n {2}ok {4}[^\n]*\[no-token\]\n/)
  t.is(await whole.exit, 0)
  const partial = await startCommand(t, (await startDefectiveSite(t, {})).origin, ...args)
  t.regex(await partial.report, /\n0 failed|, 0 failed,/)
  t.is(await partial.exit, 1, '--strict fails if something was not checked')
  const bad = await startDefectiveSite(t, { without: 'needs a token' })
  const { exit, report } = await startCommand(t, bad.origin, '--json')
  const { checks } = JSON.parse(await report) as JsonReport
  t.like(
    checks.filter(({ result }) => result === 'failed'),
    { 0: { id: 'no-token' }, length: 1 },
  )
  t.is(await exit, 1)
})

/** The addresses that a person is asked to open, and what to do there. */
async function* visits(prompts: Interface): AsyncGenerator<{ address: string; wish: Wish }> {
  let wish: Wish = 'allow'
  for await (const line of prompts) {
    if (line.includes('Within 300 seconds')) wish = line.includes('REFUSE') ? 'deny' : 'allow'
    const address = /https:\/\/\S+/.exec(line)?.[0]
    if (address !== undefined) yield { address, wish }
  }
}

// Both listen at the redirect address.
test.serial('nobody is waited for longer than it is said', async (t) => {
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const { exit, prompts, report } = await startCommand(t, site.origin, ...client, '--no-deny', '--sign-in-seconds', '1')
  const said: string[] = []
  for await (const line of prompts) said.push(line)
  t.regex(said.join('\n'), /^Within 1 second, open this address/)
  t.regex(await report, /The browser did not come back within 1 second\./)
  t.is(await exit, 2)
})

test.serial('the command takes the browser back at the redirect address', async (t) => {
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const { exit, prompts } = await startCommand(t, site.origin, ...client)
  for await (const { address, wish } of visits(prompts)) {
    t.is((await fetch(await authorize(address, wish))).status, 200)
  }
  t.is(await exit, 0)
})

test('the command takes the address of a callback that is elsewhere from its standard input', async (t) => {
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const { child, exit, prompts } = await startCommand(t, site.origin, ...client, '--code-url', '-')
  for await (const { address, wish } of visits(prompts)) child.stdin.write(`${await authorize(address, wish)}\n`)
  t.is(await exit, 0)
})

test('if nobody signs in, the rest is checked all the same, and the exit code says so', async (t) => {
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const { child, exit, report } = await startCommand(t, site.origin, ...client, '--code-url', '-', '--json')
  child.stdin.end()
  const { checks } = JSON.parse(await report) as JsonReport
  const results = Object.fromEntries(checks.map(({ id, result }) => [id, result]))
  t.like(results, { 'no-token': 'passed', 'sign-in': 'skipped' })
  t.is(await exit, 2)
})
