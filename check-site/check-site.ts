import { createSafeFetch, userAgentOf } from '../src/safe-fetch/safe-fetch.ts'
import { version } from '../src/version.ts'
import { answerChecks } from './answer-checks.ts'
import { authorizeChecks } from './authorize-checks.ts'
import { failedIf, skipped, type Check, type Finding, type Need } from './check.ts'
import { createExchange } from './exchange.ts'
import { grantChecks } from './grant-checks.ts'
import { manifestChecks } from './manifest-checks.ts'
import type { CheckOptions } from './options.ts'
import { refreshChecks } from './refresh-checks.ts'
import { signInAtSite } from './sign-in.ts'
import { callableTools, openSite, type Site } from './site.ts'
import { tokenChecks } from './token-checks.ts'
import { toolChecks } from './tool-checks.ts'

export interface Checked {
  group: string
  check: Check
  finding: Finding
}

export interface Report {
  site: string
  checked: Checked[]
  /** The number of requests to the site. */
  requests: number
  /** The User-Agent of each; a site that checks it must accept it. */
  userAgent: string
  /** Why a requested check was not made. */
  incomplete: string | undefined
}

const secrecyChecks: Check[] = [
  {
    id: 'no-echo',
    requirement: 'No error repeats a token',
    section: 'Transport and storage rules for sites',
    fix: 'Say in errors what is wrong with a token, but never repeat it: errors are logged.',
    needs: ['manifest'],
    run: ({ exchange }) => {
      const leaks = exchange.sent.filter(
        ({ outcome, secrets }) => outcome.status >= 400 && secrets.some((secret) => outcome.text?.includes(secret)),
      )
      return failedIf([
        ...new Set(leaks.map(({ url }) => `${new URL(url).pathname} repeats a secret that it received.`)),
      ])
    },
  },
]

/** All checks in their order: a later one may use up what an earlier one needs. */
export const groups: { group: string; checks: Check[] }[] = [
  { group: 'Manifest', checks: manifestChecks },
  { group: 'Authorization address', checks: authorizeChecks },
  { group: 'Token address', checks: tokenChecks },
  { group: 'Signing in', checks: grantChecks },
  { group: 'Tool endpoints', checks: toolChecks },
  { group: 'Answers, permissions and limits', checks: answerChecks },
  { group: 'Refreshing', checks: refreshChecks },
  { group: 'Secrecy', checks: secrecyChecks },
]

/** Why a check with this need cannot be made; undefined if it can. */
const problemOf: Record<Need, (site: Site) => string | undefined> = {
  manifest: ({ manifest }) => (manifest ? undefined : 'There is no usable manifest.'),
  tool: ({ tools }) => (tools.length > 0 ? undefined : 'The manifest has no tools.'),
  oauth2: () => undefined,
  token: ({ token }) => (token === undefined ? 'Give --token, or --client-id to sign in.' : undefined),
  'limited token': ({ options }) => (options.limitedToken ? undefined : 'Give --token-limited.'),
  'read tool': (site) =>
    callableTools(site).length > 0 ? undefined : 'No tool declares the effect read; try --call-all.',
  client: ({ options }) => (options.oauth ? undefined : 'Give --client-id and --redirect-uri.'),
  grant: ({ signIn }) => (signIn ? undefined : 'Nobody signed in.'),
  refresh: ({ refreshToken }) => (refreshToken ? undefined : 'There is no refresh token.'),
}

/**
 * Checks every requirement for a site (docs/specification.md, "Site side"), as the platform would. Never throws for
 * what the site does. The site gets some four to eight dozen requests, depending on its number of tools. They are sent
 * with `createFetch`; tests pass one that needs no network.
 */
export async function checkSite(options: CheckOptions, createFetch = createSafeFetch): Promise<Report> {
  const { allow, caFile, baseUrl, timeoutSeconds, patienceSeconds } = options
  const safeFetch = createFetch({ allow, caFile, baseUrl, version })
  const exchange = createExchange({ fetch: safeFetch.fetch, timeoutSeconds, patienceSeconds })
  try {
    const site = await openSite(options, exchange)
    const checked = await runAll(site)
    return {
      site: site.origin ?? options.site,
      checked,
      requests: exchange.sent.length,
      userAgent: userAgentOf({ baseUrl, version }),
      incomplete: site.signInMissing,
    }
  } finally {
    await safeFetch.close()
  }
}

async function runAll(site: Site): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const { group, checks } of groups) {
    if (group === 'Signing in' && isOAuth(site)) await signInAtSite(site)
    for (const check of checks.filter((one) => applies(one, site))) {
      checked.push({ group, check, finding: await tryCheck(check, site) })
    }
  }
  return checked
}

const isOAuth = ({ manifest }: Site): boolean => manifest?.auth.type === 'oauth2'
const applies = ({ needs }: Check, site: Site): boolean => !needs.includes('oauth2') || isOAuth(site)

async function tryCheck(check: Check, site: Site): Promise<Finding> {
  const why = check.needs.map((need) => problemOf[need](site)).find((reason) => reason !== undefined)
  return why === undefined ? check.run(site) : skipped(why)
}

export const hasFailed = ({ checked }: Report): boolean => checked.some(({ finding }) => finding.result === 'failed')
