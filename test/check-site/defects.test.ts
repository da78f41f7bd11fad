// @promise check-site
import test from 'ava'
import { checkSite } from '../../check-site/check-site.ts'
import type { CheckOptions } from '../../check-site/options.ts'
import { asJson, written } from '../../check-site/report.ts'
import { bearerDefects } from '../helpers/defects-of-sites/bearer-defects.ts'
import { isTool, type Change } from '../helpers/defects-of-sites/changes.ts'
import { redirectUri, type Defect } from '../helpers/defects-of-sites/defect.ts'
import { createDefectiveSite } from '../helpers/defects-of-sites/defective-site.ts'
import { oauthDefects } from '../helpers/defects-of-sites/oauth-defects.ts'
import { bearer, burst, finds, found, limitChecks, thorough } from '../helpers/defects-of-sites/reports.ts'
import { doorTo, nowhere, signedInAt } from '../helpers/defects-of-sites/without-network.ts'

/** What the checker makes of answers. Other tests show that it hears the same over a network. */
function check(defect: Defect, more: Partial<CheckOptions> = {}) {
  const site = createDefectiveSite(nowhere, defect)
  return checkSite({ ...thorough, ...bearer, site: site.origin, ...more }, doorTo(site))
}

function checkWithOAuth(defect: Defect) {
  const site = createDefectiveSite(nowhere, defect, { oauth: true })
  const oauth = { clientId: 'switchyard', redirectUri, authorize: signedInAt(site) }
  return checkSite({ ...thorough, oauth, site: site.origin }, doorTo(site))
}

for (const [what, defect] of Object.entries(bearerDefects)) {
  test(`the checker finds that a site ${what}`, async (t) => {
    const isAboutLimits = limitChecks.some((id) => defect.fails?.includes(id) || defect.warns?.includes(id))
    finds(t, await check(defect, isAboutLimits ? burst : {}), defect)
  })
}

for (const [what, defect] of Object.entries(oauthDefects)) {
  test(`the checker finds that a site with OAuth ${what}`, async (t) => {
    finds(t, await checkWithOAuth(defect), defect)
  })
}

test('of a site without tools nothing is said about tools', async (t) => {
  const report = await check({ manifest: (manifest) => ({ ...manifest, tools: [] }) })
  finds(t, report, {})
  const judged = report.checked.filter(
    ({ group, finding }) => group === 'Tool endpoints' && !['skipped', 'absent'].includes(finding.result),
  )
  t.like(judged, { 0: { check: { id: 'unknown-tool' } }, length: 1 })
})

test('where only tools that write have schemas that reject something, the checker says how to try them', async (t) => {
  const input_schema = { type: 'object', properties: {} }
  const anyRead = (tool: { effect: string }) => (tool.effect === 'read' ? { ...tool, input_schema } : tool)
  const manifest: Defect['manifest'] = (good) => ({ ...good, tools: good.tools.map(anyRead) })
  const report = await check({ manifest }, { callAll: false })
  for (const id of ['arguments-checked', 'arguments-message']) {
    const { finding } = report.checked.find(({ check }) => check.id === id) ?? t.fail(id)
    t.like(finding, { result: 'skipped', how: 'Give --call-all, on a test system.' }, id)
  }
})

test('the checker waits as long as a site asks it to, within its patience', async (t) => {
  const calls: number[] = []
  const change: Change = (said, { path }) => {
    if (path !== '/api/tools/get_note') return said
    calls.push(performance.now())
    if (calls.length > 1) return said
    return { status: 429, headers: { 'Retry-After': '1' }, body: { error: 'Wait a second.' } }
  }
  finds(t, await check({ change }, { patienceSeconds: 1 }), {})
  const [limited = 0, next = 0] = calls
  // Timers may be early by a millisecond.
  t.true(next - limited > 990)
})

test('a report holds no token that it was given, or that the site has issued', async (t) => {
  const echo: Change = (said, heard) =>
    isTool(heard) ? { ...said, status: 400, body: { error: `No: ${heard.token}` } } : said
  const told = await check({ change: echo })
  const text = `${written(told)}${JSON.stringify(asJson(told))}`
  t.true(found(told, 'failed').includes('no-echo'))
  t.true(text.includes('No: [token]'))
  t.false(/good-token|limited-token/.test(text))

  const issued: string[] = []
  const withoutLifetime: Change = (said, { path }) => {
    const { access_token: access, refresh_token: refresh, scope } = said.body as Record<string, string>
    if (path !== '/token' || access === undefined) return said
    issued.push(access, refresh ?? '')
    return { ...said, body: { access_token: access, refresh_token: refresh, scope, token_type: 'mac' } }
  }
  const report = await checkWithOAuth({ without: 'needs verifiers', change: withoutLifetime })
  t.deepEqual(found(report, 'failed'), ['verifier-missing', 'token-answer', 'token-lifetime'])
  t.true(issued.length > 4)
  const all = `${written(report)}${JSON.stringify(asJson(report))}`
  for (const token of issued) t.false(all.includes(token))
})

test('a report ends with what was not checked, why, and how to check it', async (t) => {
  const site = createDefectiveSite(nowhere, {})
  const report = await checkSite({ ...thorough, callAll: false, site: nowhere }, doorTo(site))
  const [, end = ''] = written(report).split('\nNot checked\n')
  t.regex(end, /A token is required\. Give --token, or sign in.*\n +token-accepted, /)
  t.regex(end, /the checker fails if anything is not checked\.$/)
  const skipped = found(report, 'skipped')
  t.true(skipped.length > 5)
  for (const id of skipped.slice(0, 10)) t.true(end.includes(id), id)
  for (const one of asJson(report).checks) if (one.result === 'skipped') t.regex('how' in one ? one.how : '', /\w\.$/)
  const many: Defect['manifest'] = (good) => ({
    ...good,
    tools: Array.from({ length: 25 }, (_, i) => ({ ...good.tools[0], name: `get_note_${i}` })),
  })
  t.regex(written(await check({ manifest: many }, { token: undefined })), /\n {2}5 of 25 tools\. Give --tools 25\.\n/)
  t.notRegex(written(await check({ manifest: many }, { token: undefined, mostTools: 25 })), /of 25 tools/)
})

test('each wrong exchange is tried with a code of its own if the site discards codes', async (t) => {
  const codes = new Set<string>()
  const discards: Change = (said, { path, body }) => {
    const code = new URLSearchParams(body).get('code')
    if (path !== '/token' || code === null) return said
    const isSpent = codes.has(code)
    codes.add(code)
    return isSpent ? { status: 400, headers: { 'Cache-Control': 'no-store' }, body: { error: 'invalid_grant' } } : said
  }
  const lax = await checkWithOAuth({ without: 'compares redirect addresses of codes', change: discards })
  t.deepEqual(found(lax, 'failed'), ['exchange-redirect-uri'])
  codes.clear()
  t.deepEqual(found(await checkWithOAuth({ change: discards }), 'failed'), [])
  // A wrong code, three wrong exchanges, the right one, and one more for the revocation.
  t.is(codes.size, 6)
})
