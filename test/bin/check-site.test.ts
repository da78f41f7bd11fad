import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { checkSite, groups, type Report } from '../../bin/check-site/check-site.ts'
import { defaults, type CheckOptions } from '../../bin/check-site/options.ts'
import { asJson, written } from '../../bin/check-site/report.ts'
import { startContacts } from '../../examples/sites/contacts/server.ts'
import { variants, type Variant } from '../../examples/sites/broken-manifest/variants.ts'
import { bearerDefects } from '../helpers/defects-of-sites/bearer-defects.ts'
import type { Expected } from '../helpers/defects-of-sites/changes.ts'
import { redirectUri, type Defect } from '../helpers/defects-of-sites/defect.ts'
import { oauthDefects } from '../helpers/defects-of-sites/oauth-defects.ts'
import { startDefectiveSite } from '../helpers/defects-of-sites/site.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { signIn } from '../helpers/sign-in.ts'
import { askSite, startSites } from '../helpers/sites.ts'

/** Nothing listens there. */
const closedPort = 64_998

/** Checks as thoroughly as it goes. Nothing is waited for: a 429 of these sites is one that the check looks for. */
async function check(site: string, more: Partial<CheckOptions> = {}): Promise<Report> {
  const { caFile } = await temporaryCertificates()
  const allow = [URL.parse(site)?.host ?? ''].filter((host) => host.includes(':'))
  const usual = { allow, caFile, baseUrl: 'https://platform.example', callAll: true, httpPort: closedPort }
  return checkSite({ ...defaults, ...usual, timeoutSeconds: 20, patienceSeconds: 0, site, ...more })
}

const bearer = { token: 'good-token', limitedToken: 'limited-token' }
const burst = { ...bearer, burst: 70 }

/** A browser whose user has signed in already: the site redirects it back at once. */
const authorise = async (url: string): Promise<string> => String((await askSite(url)).headers['location'])
const oauth = { oauth: { clientId: 'switchyard', redirectUri, authorise } }

const found = ({ checked }: Report, ...results: string[]) =>
  checked.filter(({ finding }) => results.includes(finding.result)).map(({ check: { id } }) => id)

function finds(t: ExecutionContext, report: Report, { fails = [], warns = [] }: Expected): void {
  t.deepEqual(found(report, 'failed').toSorted(), [...fails].toSorted())
  t.deepEqual(found(report, 'warning').toSorted(), [...warns].toSorted())
}

const limitChecks = ['limit-met', 'retry-after', 'limit-body']

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
  const person = (url: string) => signIn(url, { user: 'ada', password: 'ada-password' })
  const report = await check(site.origin, { oauth: { clientId: 'switchyard', redirectUri, authorise: person } })
  finds(t, report, {})
  // It has no limits, and who signs in for reading cannot call what has a key.
  t.deepEqual(found(report, 'skipped'), ['same-key', 'permission', 'permission-body', ...limitChecks])
  const all = { clientId: 'switchyard', redirectUri, authorise: person, scopes: ['read', 'write', 'delete', 'admin'] }
  const wide = await check(site.origin, { oauth: all })
  finds(t, wide, {})
  t.false(found(wide, 'skipped').includes('same-key'))
})

test('the checker has nothing against the small good sites that the defective ones are made from', async (t) => {
  const plain = await startDefectiveSite(t, {})
  const report = await check(plain.origin, burst)
  finds(t, report, {})
  t.deepEqual(found(report, 'skipped'), [])
  const authorizing = await startDefectiveSite(t, {}, { oauth: true })
  const signedIn = await check(authorizing.origin, oauth)
  finds(t, signedIn, {})
  t.deepEqual(found(signedIn, 'skipped'), ['same-key', 'permission', 'permission-body', ...limitChecks])
})

test('of a site without tools nothing is said about tools', async (t) => {
  const site = await startDefectiveSite(t, { manifest: (manifest) => ({ ...manifest, tools: [] }) })
  const report = await check(site.origin, bearer)
  finds(t, report, {})
  const ofTools = report.checked.filter(({ group }) => group === 'Tool endpoints')
  const judged = ofTools.filter(({ finding }) => finding.result !== 'skipped')
  t.deepEqual(
    judged.map(({ check: { id } }) => id),
    ['unknown-tool'],
  )
})

test('a site that throws a code away for a wrong verifier is a good one', async (t) => {
  const spent = new Set<string>()
  const change: Defect['change'] = (said, { path, body }) => {
    const code = new URLSearchParams(body).get('code')
    if (path !== '/token' || code === null) return said
    const again = spent.has(code)
    spent.add(code)
    return again ? { status: 400, headers: { 'Cache-Control': 'no-store' }, body: { error: 'invalid_grant' } } : said
  }
  const site = await startDefectiveSite(t, { change }, { oauth: true })
  finds(t, await check(site.origin, oauth), {})
})

// One after the other: a hundred checks at once would starve each other, and be late.
for (const [what, defect] of Object.entries(bearerDefects)) {
  test.serial(`the checker finds that a site ${what}`, async (t) => {
    const site = await startDefectiveSite(t, defect)
    const isAboutLimits = limitChecks.some((id) => defect.fails?.includes(id) || defect.warns?.includes(id))
    const timeoutSeconds = defect.fails?.includes('answer-time') ? 1 : 20
    finds(t, await check(site.origin, { ...(isAboutLimits ? burst : bearer), timeoutSeconds }), defect)
  })
}

for (const [what, defect] of Object.entries(oauthDefects)) {
  test.serial(`the checker finds that a site with OAuth ${what}`, async (t) => {
    const site = await startDefectiveSite(t, defect, { oauth: true })
    finds(t, await check(site.origin, oauth), defect)
  })
}

const elsewhere = {
  'that its address is not https': { fails: ['site-address'] },
  'that nobody answers': { fails: ['site-reached'] },
  'that the certificate is not to be trusted': { fails: ['certificate'] },
  'that the manifest is to be had over plain HTTP': { fails: ['plain-http'] },
} satisfies Record<string, Expected>

test('the checker finds that its address is not https', async (t) => {
  finds(t, await check('http://site.example'), elsewhere['that its address is not https'])
})

test('the checker finds that nobody answers', async (t) => {
  finds(t, await check(`https://127.0.0.1:${closedPort}`), elsewhere['that nobody answers'])
})

test('the checker finds that the certificate is not to be trusted', async (t) => {
  const site = await startDefectiveSite(t, {})
  const report = await check(site.origin, { caFile: undefined })
  finds(t, report, elsewhere['that the certificate is not to be trusted'])
})

test('the checker finds that the manifest is to be had over plain HTTP', async (t) => {
  const site = await startDefectiveSite(t, {})
  const plain = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  t.teardown(() => void plain.close())
  await once(plain, 'listening')
  const { port } = plain.address() as AddressInfo
  const report = await check(site.origin, { ...bearer, httpPort: port })
  finds(t, report, elsewhere['that the manifest is to be had over plain HTTP'])
})

test('every check finds a defect of some site', (t) => {
  const expected = [...Object.values(bearerDefects), ...Object.values(oauthDefects), ...Object.values(elsewhere)]
  const named = new Set(expected.flatMap(({ fails = [], warns = [] }: Expected) => [...fails, ...warns]))
  const ids = groups.flatMap(({ checks }) => checks.map(({ id }) => id))
  t.deepEqual(
    ids.filter((id) => !named.has(id)),
    [],
  )
  t.is(new Set(ids).size, ids.length)
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
    const { brokenManifest } = await startSites(t)
    brokenManifest.serve(variant)
    finds(t, await check(brokenManifest.origin), brokenManifests[variant])
  })
}

test('every wrong place of a manifest has a line of its own', async (t) => {
  const { brokenManifest } = await startSites(t)
  const { checked } = await check(brokenManifest.origin)
  const shape = checked.find(({ check: { id } }) => id === 'manifest-shape')?.finding
  t.is(shape?.result, 'failed')
  const places = shape?.result === 'failed' ? shape.why.map((line) => line.split(':')[0]) : []
  t.true(
    ['name', 'version', 'description', 'server.url', 'auth.type', 'tools.0.name'].every((one) => places.includes(one)),
  )
})

test('the checker finds each of the bad tools, once it may call them all', async (t) => {
  const { badTools } = await startSites(t)
  const careful = await check(badTools.origin, { token: 'any', callAll: false })
  // It takes any token but one, which is a defect, too.
  finds(t, careful, { fails: ['wrong-token'], warns: ['tool-effects', 'tool-scopes', 'www-authenticate'] })
  const { checked } = await check(badTools.origin, { token: 'any', timeoutSeconds: 1 })
  const why = Object.fromEntries(
    checked.flatMap(({ check: { id }, finding }) =>
      finding.result === 'failed' ? [[id, finding.why.map((line) => line.split(' ')[0])]] : [],
    ),
  )
  t.deepEqual(why, {
    'wrong-token': careful.checked.flatMap(({ finding }) =>
      finding.result === 'failed' ? finding.why.map((line) => line.split(' ')[0]) : [],
    ),
    'answer-status': ['fail'],
    'answer-time': ['hang'],
    'answer-whole': ['reset'],
    'answer-redirect': ['redirect'],
    'answer-size': ['too_large', 'compressed_bomb', 'endless'],
    'answer-utf8': ['not_utf8'],
    'answer-object': ['not_object', 'not_json'],
  })
})

test('without leave no tool gets arguments that fit, but those that read', async (t) => {
  const { tracker } = await startSites(t)
  await check(tracker.origin, { token: tracker.createToken('kim', 'admin'), callAll: false })
  const succeeded = tracker.requests().filter(({ status }) => status === 200)
  t.deepEqual([...new Set(succeeded.map(({ tool }) => tool))].toSorted(), ['get_issue', 'search_issues'])
})

test('the checker waits as long as a site asks it to, within its patience', async (t) => {
  let limited = 0
  const change: Defect['change'] = (said, { path }) => {
    if (path !== '/api/tools/get_note' || limited > 0) return said
    limited += 1
    return { status: 429, headers: { 'Retry-After': '1' }, body: { error: 'Wait a second.' } }
  }
  const site = await startDefectiveSite(t, { change })
  const report = await check(site.origin, { ...bearer, patienceSeconds: 1 })
  finds(t, report, {})
})

test('a report never holds a token', async (t) => {
  const site = await startDefectiveSite(t, {
    change: (said, { token }) => ({ ...said, status: 400, body: { error: `No: ${token}` } }),
  })
  const report = await check(site.origin, bearer)
  const all = `${written(report)}${JSON.stringify(asJson(report))}`
  t.false(/good-token|limited-token/.test(all))
})

const run = promisify(execFile)
const command = async (args: string[]) =>
  run(process.execPath, ['bin/check-site.ts', ...args], { env: {} })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }))
    .catch((failed: { code: number; stdout: string; stderr: string }) => failed)

test('the command needs neither database nor keys, and its exit code is the result', async (t) => {
  const { caFile } = await temporaryCertificates()
  const good = await startDefectiveSite(t, {})
  const trusting = ['--ca-file', caFile, '--allow', new URL(good.origin).host]
  const fine = await command([good.origin, ...trusting, '--token', 'good-token'])
  t.is(fine.code, 0)
  t.regex(fine.stdout, /\n {2}ok {4}A call without a token is refused with 401 {2}\[no-token\]\n/)
  t.regex(fine.stdout, /\d+ passed, 0 failed, 0 to consider, \d+ not tried\.\n$/)
  const bad = await startDefectiveSite(t, { without: 'needs a token' })
  const allowed = ['--ca-file', caFile, '--allow', new URL(bad.origin).host]
  const found = await command([bad.origin, ...allowed, '--json'])
  t.is(found.code, 1)
  const { checks } = JSON.parse(found.stdout) as { checks: { id: string; result: string; mend: string }[] }
  t.deepEqual(
    checks.filter(({ result }) => result === 'failed').map(({ id }) => id),
    ['no-token'],
  )
})

test('a command line that makes no sense is answered with the usage and the exit code 2', async (t) => {
  for (const args of [
    [],
    ['https://a.example', 'https://b.example'],
    ['https://a.example', '--client-id', 'x'],
    ['--what'],
  ]) {
    const { code, stderr } = await command(args)
    t.is(code, 2)
    t.regex(stderr, /Usage: npm run check-site/)
  }
})

test('the command takes the address of a callback that is elsewhere from its standard input', async (t) => {
  const { caFile } = await temporaryCertificates()
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const trusting = ['--ca-file', caFile, '--allow', new URL(site.origin).host]
  const client = ['--client-id', 'switchyard', '--redirect-uri', redirectUri, '--code-url', '-']
  const child = spawn(process.execPath, ['bin/check-site.ts', site.origin, ...trusting, ...client], { env: {} })
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  for await (const line of createInterface(child.stderr)) {
    const address = /https:\/\/\S+/.exec(line)?.[0]
    if (address) child.stdin.write(`${await authorise(address)}\n`)
  }
  t.deepEqual(await exit, [0, null])
})

test('if nobody signs in, the rest is checked all the same, and the exit code says so', async (t) => {
  const { caFile } = await temporaryCertificates()
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const trusting = ['--ca-file', caFile, '--allow', new URL(site.origin).host]
  const client = ['--client-id', 'switchyard', '--redirect-uri', redirectUri, '--code-url', '-']
  const child = spawn(process.execPath, ['bin/check-site.ts', site.origin, ...trusting, ...client], { env: {} })
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  child.stdin.end()
  const lines = []
  for await (const line of createInterface(child.stdout)) lines.push(line)
  t.true(lines.some((line) => line.startsWith('  ok    A call without a token')))
  t.true(lines.includes('          not tried: The address that the browser ended at was not given.'))
  t.deepEqual(await exit, [2, null])
})

test('the command takes the browser back at the redirect address', async (t) => {
  const { caFile } = await temporaryCertificates()
  const site = await startDefectiveSite(t, {}, { oauth: true })
  const trusting = ['--ca-file', caFile, '--allow', new URL(site.origin).host]
  const client = ['--client-id', 'switchyard', '--redirect-uri', redirectUri]
  const child = spawn(process.execPath, ['bin/check-site.ts', site.origin, ...trusting, ...client])
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  for await (const line of createInterface(child.stderr)) {
    if (line.startsWith('https://')) t.is((await fetch(await authorise(line))).status, 200)
  }
  t.deepEqual(await exit, [0, null])
})
