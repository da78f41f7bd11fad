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
  if (defect.needsNetwork) continue
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
  const ofTools = report.checked.filter(({ group }) => group === 'Tool endpoints')
  const judged = ofTools.filter(({ finding }) => !['skipped', 'absent'].includes(finding.result))
  t.deepEqual(
    judged.map(({ check: { id } }) => id),
    ['unknown-tool'],
  )
})

test('where only tools that write have schemas that reject something, the checker says how to try them', async (t) => {
  const anything = { type: 'object', properties: {} }
  const report = await check(
    {
      manifest: (manifest) => ({
        ...manifest,
        tools: (manifest['tools'] as { effect?: string }[]).map((tool) =>
          tool.effect === 'read' ? { ...tool, input_schema: anything } : tool,
        ),
      }),
    },
    { callAll: false },
  )
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

test('a report never holds a token', async (t) => {
  const echo: Change = (said, heard) =>
    isTool(heard) ? { ...said, status: 400, body: { error: `No: ${heard.token}` } } : said
  const report = await check({ change: echo })
  const all = `${written(report)}${JSON.stringify(asJson(report))}`
  t.true(found(report, 'failed').includes('no-echo'))
  t.true(all.includes('No: [token]'))
  t.false(/good-token|limited-token/.test(all))
})

test('a report never holds a token that the site has issued', async (t) => {
  const issued: string[] = []
  const withoutLifetime: Change = (said, { path }) => {
    const { access_token: access, refresh_token: refresh, ...body } = said.body as Record<string, string>
    if (path !== '/token' || access === undefined) return said
    issued.push(access, refresh ?? '')
    return { ...said, body: { access_token: access, refresh_token: refresh, scope: body['scope'], token_type: 'mac' } }
  }
  const report = await checkWithOAuth({ without: 'needs verifiers', change: withoutLifetime })
  t.deepEqual(found(report, 'failed'), ['verifier-missing', 'token-answer', 'token-lifetime'])
  t.true(issued.length > 4)
  const all = `${written(report)}${JSON.stringify(asJson(report))}`
  t.deepEqual(
    issued.filter((token) => all.includes(token)),
    [],
  )
})
