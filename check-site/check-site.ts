import { createSafeFetch, userAgentOf } from '../src/safe-fetch/safe-fetch.ts'
import { version } from '../src/version.ts'
import { answerChecks } from './answer-checks.ts'
import { argumentChecks } from './argument-checks.ts'
import { authorizeChecks } from './authorize-checks.ts'
import { absent, blocked, failedIf, skipped, withoutManifest, type Check, type Finding, type Need } from './check.ts'
import { createExchange } from './exchange.ts'
import { grantChecks, nobodySignedIn } from './grant-checks.ts'
import { manifestChecks } from './manifest-checks.ts'
import type { CheckOptions } from './options.ts'
import { refreshChecks } from './refresh-checks.ts'
import { signInAtSite } from './sign-in.ts'
import { callableTools, openSite, type Site } from './site.ts'
import { tokenChecks } from './token-checks.ts'
import { tokenUseChecks } from './token-use-checks.ts'
import { toolChecks } from './tool-checks.ts'

export interface Checked {
  group: string
  check: Check
  finding: Finding
}

export interface Report {
  site: string
  checked: Checked[]
  requests: number
  /** The User-Agent of each request. A site that checks it must accept it. */
  userAgent: string
  /** The reason why a requested sign-in did not happen. */
  incomplete: string | undefined
  /** The number of tools in the manifest, and of those that were called. */
  tools: { published: number; called: number }
}

const secrecyChecks: Check[] = [
  {
    id: 'no-echo',
    requirement: 'No error repeats a token',
    section: 'Transport and storage rules for sites',
    fix: 'Say in errors what is wrong with a token, but never repeat the token: errors are logged.',
    needs: ['manifest'],
    run: ({ exchange }) => {
      const leaks = exchange.sent.filter(
        ({ outcome, secrets }) => outcome.status >= 400 && secrets.some((secret) => outcome.text?.includes(secret)),
      )
      return failedIf([
        ...new Set(leaks.map(({ url, outcome }) => `${new URL(url).pathname} repeats a secret: it ${outcome.what}`)),
      ])
    },
  },
]

/** All checks in their order. A later one may use up what an earlier one needs. */
export const groups: { group: string; checks: Check[] }[] = [
  { group: 'Manifest', checks: manifestChecks },
  { group: 'Authorization address', checks: authorizeChecks },
  { group: 'Token address', checks: tokenChecks },
  { group: 'Signing in', checks: grantChecks },
  { group: 'Tool endpoints', checks: [...toolChecks, ...tokenUseChecks, ...argumentChecks] },
  { group: 'Answers, permissions and limits', checks: answerChecks },
  { group: 'Refreshing', checks: refreshChecks },
  { group: 'Secrecy', checks: secrecyChecks },
]

/** The reason why a check with this need cannot run; undefined if it can. */
const withoutNeed: Record<Need, (site: Site) => Finding | undefined> = {
  manifest: ({ manifest }) => (manifest ? undefined : withoutManifest),
  tool: ({ tools }) => (tools.length > 0 ? undefined : absent('The manifest has no tools.')),
  oauth2: () => undefined,
  token: ({ token }) => (token === undefined ? noToken : undefined),
  'limited token': ({ options }) => (options.limitedToken ? undefined : noLimitedToken),
  'read tool': (site) => (callableTools(site).length > 0 ? undefined : noReadTool),
  client: ({ options }) => (options.oauth ? undefined : noClient),
  grant: ({ signIn, signInProblem }) =>
    signIn ? undefined : signInProblem === undefined ? nobodySignedIn : blocked('sign-in'),
  refresh: ({ refreshToken }) => (refreshToken ? undefined : blocked('token-refreshable')),
}

const noToken = skipped('A token is required.', 'Give --token, or sign in with --client-id and --redirect-uri.')
const noLimitedToken = skipped('A user who may not use every tool is required.', 'Give --token-limited.')
const noReadTool = skipped('No tool declares the effect read.', 'Give --call-all, on a test system only.')
const noClient = skipped('A client at the site is required.', 'Give --client-id and --redirect-uri.')

/**
 * Checks every requirement for a site (docs/specification.md, "Site side"), as the platform would. Never throws
 * because of the site. The site gets about 50 to 100 requests, depending on its number of tools. `createFetch` sends
 * them; tests pass one that needs no network.
 */
export async function checkSite(options: CheckOptions, createFetch = createSafeFetch): Promise<Report> {
  const { allow, caFile, baseUrl, timeoutSeconds, patienceSeconds } = options
  const safeFetch = createFetch({ allow, loopback: true, caFile, baseUrl, version })
  const secrets = [options.token, options.limitedToken].filter((token) => token !== undefined)
  const exchange = createExchange({ fetch: safeFetch.fetch, timeoutSeconds, patienceSeconds, secrets })
  try {
    const site = await openSite(options, exchange)
    const checked = await runAll(site)
    return {
      site: site.origin ?? options.site,
      checked,
      requests: exchange.sent.length,
      userAgent: userAgentOf({ baseUrl, version }),
      incomplete: site.signInMissing,
      tools: { published: site.manifest?.tools.length ?? 0, called: site.tools.length },
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
      const finding = await tryCheck(check, site)
      if (finding.result === 'failed') site.failed.add(check.id)
      checked.push({ group, check, finding })
    }
  }
  return checked
}

const isOAuth = ({ manifest }: Site): boolean => manifest?.auth.type === 'oauth2'
const applies = ({ needs }: Check, site: Site): boolean => !needs.includes('oauth2') || isOAuth(site)

async function tryCheck(check: Check, site: Site): Promise<Finding> {
  const without = check.needs.map((need) => withoutNeed[need](site)).find((finding) => finding !== undefined)
  if (without) return without
  const finding = await check.run(site)
  const cause = finding.result === 'failed' && check.causes?.find((id) => site.failed.has(id))
  return cause ? blocked(cause) : finding
}

export const hasFailed = ({ checked }: Report): boolean => checked.some(({ finding }) => finding.result === 'failed')

/** Whether a possible check was not made. */
export const isPartial = ({ checked, tools }: Report): boolean =>
  tools.called < tools.published || checked.some(({ finding }) => finding.result === 'skipped')
