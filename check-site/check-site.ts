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
  /** How many requests the site got. */
  requests: number
  /** Sent with each of them; a site that checks it must know the platform by it. */
  userAgent: string
  /** Why not everything was tried that was asked for. */
  incomplete: string | undefined
}

const secrecyChecks: Check[] = [
  {
    id: 'no-echo',
    demands: 'No error repeats a token',
    section: 'Transport and storage rules for sites',
    mend: 'Say in errors what is wrong with a token, never which one it was: errors are logged.',
    needs: ['manifest'],
    run: ({ exchange }) => {
      const told = exchange.asked.filter(
        ({ outcome, secrets }) => outcome.status >= 400 && secrets.some((secret) => outcome.text?.includes(secret)),
      )
      return failedIf([...new Set(told.map(({ url }) => `${new URL(url).pathname} repeats what it was sent.`))])
    },
  },
]

/** All checks, in the order that they are made in: a later one may use up what an earlier one needs. */
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

/** Why a check that needs this cannot be tried; undefined if it can. */
const lacking: Record<Need, (site: Site) => string | undefined> = {
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
 * Goes through every duty of a site (docs/specification.md, "Site side"), as the platform would meet it. Never throws
 * for what the site does. The site gets some four to eight dozen requests, by how many tools it has. They leave through
 * `openDoor`; tests of what the checker makes of answers give it a site without a network.
 */
export async function checkSite(options: CheckOptions, openDoor = createSafeFetch): Promise<Report> {
  const { allow, caFile, baseUrl, timeoutSeconds, patienceSeconds } = options
  const door = openDoor({ allow, caFile, baseUrl, version })
  const exchange = createExchange({ fetch: door.fetch, timeoutSeconds, patienceSeconds })
  try {
    const site = await openSite(options, exchange)
    const checked = await runAll(site)
    return {
      site: site.origin ?? options.site,
      checked,
      requests: exchange.asked.length,
      userAgent: userAgentOf({ baseUrl, version }),
      incomplete: site.signInMissing,
    }
  } finally {
    await door.close()
  }
}

async function runAll(site: Site): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const { group, checks } of groups) {
    if (group === 'Signing in' && isOAuth(site)) await signInAtSite(site)
    for (const check of checks.filter((one) => isDuty(one, site))) {
      checked.push({ group, check, finding: await tryCheck(check, site) })
    }
  }
  return checked
}

const isOAuth = ({ manifest }: Site): boolean => manifest?.auth.type === 'oauth2'
const isDuty = ({ needs }: Check, site: Site): boolean => !needs.includes('oauth2') || isOAuth(site)

async function tryCheck(check: Check, site: Site): Promise<Finding> {
  const why = check.needs.map((need) => lacking[need](site)).find((reason) => reason !== undefined)
  return why === undefined ? check.run(site) : skipped(why)
}

export const hasFailed = ({ checked }: Report): boolean => checked.some(({ finding }) => finding.result === 'failed')
