// @promise check-site
import test from 'ava'
import { checkSite, type Report } from '../../check-site/check-site.ts'
import type { OAuthOptions } from '../../check-site/options.ts'
import { asJson, written } from '../../check-site/report.ts'
import { bearerDefects } from '../helpers/defects-of-sites/bearer-defects.ts'
import type { Expected } from '../helpers/defects-of-sites/changes.ts'
import { redirectUri, type Defect } from '../helpers/defects-of-sites/defect.ts'
import { createDefectiveSite } from '../helpers/defects-of-sites/defective-site.ts'
import { oauthDefects } from '../helpers/defects-of-sites/oauth-defects.ts'
import { burst, found, thorough } from '../helpers/defects-of-sites/reports.ts'
import { doorTo, nowhere, signedInAt } from '../helpers/defects-of-sites/without-network.ts'

/** What strangers' sites have had, with what the report must say of it. */
const bearer: Record<string, RegExp> = {
  'takes a token in the address':
    /get_note\?access_token=…&token=… answered with status 200 \(application\/json\): \{"id":1/,
  'says a date of the past for how long to wait': /Its Retry-After, Wed, 21 Oct 2015 07:28:00 GMT, is in the past/,
  'redirects every call to a login': /get_note redirected \(302\) to \/login/,
  'is behind bot protection': /answered with status 403 \(text\/html.*\): <!DOCTYPE html><html lang="en-US">/,
  'answers 503 to too many calls': /should have got a 429, but get_note answered with status 503 .*"Busy\."/,
  'has no manifest': /answered with status 404 \(application\/json\): \{"error":"There is nothing here\."\}/,
}

const oauth: Record<string, RegExp> = {
  'takes codes without a verifier':
    /Tokens were issued without a verifier\. The token address answered with status 200/,
  'does not compare the redirect address of a code': /Tokens were issued for another redirect_uri/,
  'takes refresh tokens for access tokens': /With the refresh token get_note answered with status 200/,
}

function check(defect: Defect, withOAuth: boolean, more: Partial<OAuthOptions> = {}): Promise<Report> {
  const site = createDefectiveSite(nowhere, defect, { oauth: withOAuth })
  const client = { clientId: 'switchyard', redirectUri, authorize: signedInAt(site), ...more }
  return checkSite({ ...thorough, ...(withOAuth ? { oauth: client } : burst), site: nowhere }, doorTo(site))
}

for (const [defects, said, withOAuth] of [
  [bearerDefects, bearer, false],
  [oauthDefects, oauth, true],
] as const) {
  for (const [what, why] of Object.entries(said)) {
    const kind = withOAuth ? 'with OAuth' : 'with tokens'
    test(`a site ${kind} that ${what} is blamed for that first, once, and with what it answered`, async (t) => {
      const defect: Defect & Expected = defects[what] ?? {}
      const report = await check(defect, withOAuth)
      const blamed = written(report)
        .split('\n')
        .filter((line) => line.startsWith('  FAIL'))
      t.is(blamed.length, 1)
      t.true(blamed[0]?.endsWith(`[${defect.fails?.[0]}]`))
      t.regex(written(report), why)
    })
  }
}

test('a report ends with what was not checked, why, and how to check it', async (t) => {
  const site = createDefectiveSite(nowhere, {})
  const report = await checkSite({ ...thorough, callAll: false, site: nowhere }, doorTo(site))
  const [, end = ''] = written(report).split('\nNot checked\n')
  t.regex(end, /It needs a token\. Give --token, or sign in.*\n +token-accepted, /)
  t.regex(end, /No quick calls were made|It needs a token/)
  t.regex(end, /--strict fails without it\.$/)
  const skipped = found(report, 'skipped')
  t.true(skipped.length > 5)
  for (const id of skipped.slice(0, 10)) t.true(end.includes(id), id)
  const { checks } = asJson(report)
  for (const check of checks) if (check.result === 'skipped') t.regex('how' in check ? check.how : '', /\w\.$/)
})

test('tools beyond those that are called are listed as not checked', async (t) => {
  const many = createDefectiveSite(nowhere, {
    manifest: (manifest) => ({
      ...manifest,
      tools: Array.from({ length: 25 }, (_, i) => ({ ...manifest.tools[0], name: `get_note_${i}` })),
    }),
  })
  const report = await checkSite({ ...thorough, site: nowhere }, doorTo(many))
  t.regex(written(report), /\n {2}5 of 25 tools\. Give --tools 25\.\n/)
  const all = await checkSite({ ...thorough, mostTools: 25, site: nowhere }, doorTo(many))
  t.notRegex(written(all), /of 25 tools/)
})

test('each wrong exchange is tried with a code of its own if the site discards codes', async (t) => {
  const spent = new Set<string>()
  const codes = new Set<string>()
  const discards: Defect['change'] = (said, { path, body }) => {
    const code = new URLSearchParams(body).get('code')
    if (path !== '/token' || code === null) return said
    codes.add(code)
    const again = spent.has(code)
    spent.add(code)
    return again ? { status: 400, headers: { 'Cache-Control': 'no-store' }, body: { error: 'invalid_grant' } } : said
  }
  const lax = await check({ without: 'compares redirect addresses of codes', change: discards }, true)
  t.deepEqual(found(lax, 'failed'), ['exchange-redirect-uri'])
  codes.clear()
  t.deepEqual(found(await check({ change: discards }, true), 'failed'), [])
  // A wrong code, three wrong exchanges, the right one, and one more for the revocation.
  t.is(codes.size, 6)
})
