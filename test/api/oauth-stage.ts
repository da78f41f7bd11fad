import type { ExecutionContext, TestFn } from 'ava'
import * as oauth from '../../api/oauth.ts'
import * as oauthBrowser from '../../api/oauth-browser.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import * as vault from '../../api/vault.ts'
import { secretText, startBareOAuthSite, type BareOAuthSite } from '../helpers/bare-oauth-site.ts'
import { sightings } from '../helpers/canaries.ts'
import { call, check, type Failure } from '../helpers/client.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { customer, type Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'

/** A browser that was sent on to a site, and what it carries. */
interface Attempt {
  someone: Person
  flowId: string
  connectUrl: string
  location: URL
  state: string
  cookie: string
}

export interface Back {
  status: number
  text: string
  type: string
  /** The body as JSON. */
  body: Record<string, unknown> & Partial<Failure>
}

interface Target {
  tools?: string[]
  acceptHosts?: string[]
}

/** Two sites that use OAuth, a platform of the test's own that may reach nothing else, and a customer. */
export async function openOAuthStage(t: ExecutionContext, env: Record<string, string> = {}, { worker = false } = {}) {
  const pair = await sitesOf(t)
  const allow = pair.map(({ host }) => host).join(',')
  const platform = await startPlatform(t, { worker, env: { SITE_ALLOW: allow, ...env } })
  return stageOn(t, platform, pair, await customer(platform))
}

/** Each test has two sites and a person of its own, on a shared platform. */
export function oauthStages(test: TestFn, preset: 'idle' | 'working' = 'idle') {
  const shared = sharedPlatform(test, preset)
  return async (t: ExecutionContext): Promise<OAuthStage> => {
    const platform = await shared()
    return stageOn(t, platform, await sitesOf(t), await customer(platform))
  }
}

type Pair = [site: BareOAuthSite, other: BareOAuthSite]

const sitesOf = (t: ExecutionContext): Promise<Pair> => Promise.all([startBareOAuthSite(t), startBareOAuthSite(t)])

function stageOn(t: ExecutionContext, platform: Platform, [site, other]: Pair, someone: Person) {
  const secrets: Record<string, string> = {}
  const keep = (name: string, secret: string) => void (secrets[`${name} ${Object.keys(secrets).length}`] = secret)

  /** Begins a flow and opens its address in a browser of its own. */
  async function begin(to: BareOAuthSite = site, target: Target = {}, who = someone): Promise<Attempt> {
    const { body } = await call(who, oauth.startOAuth, { body: { url: to.origin, ...target } })
    return { ...(await open(who, body.connectUrl)), flowId: body.id }
  }

  async function open(who: Person, connectUrl: string, given = ''): Promise<Omit<Attempt, 'flowId'>> {
    const { location, cookie } = await openConnectUrl(who, connectUrl, given)
    const state = new URL(location).searchParams.get('state') ?? ''
    keep('ticket', new URL(connectUrl).searchParams.get('ticket') ?? '')
    keep('binding', cookie.split('=')[1] ?? '')
    keep('state', state)
    return { someone: who, connectUrl, location: new URL(location), state, cookie }
  }

  /** Comes back from the site with these parameters; with a cookie and as a client that prefers JSON unless told so. */
  async function back(
    parameters: Record<string, string> | [string, string][],
    { cookie, accept = 'application/json' }: { cookie: string; accept?: string },
  ): Promise<Back> {
    const query = new URLSearchParams(parameters)
    for (const code of query.getAll('code').filter((one) => one.length > 8)) keep('code', code)
    const response = await comeBack(platform, `${platform.url}/vault/oauth/callback?${query.toString()}`, cookie, {
      accept,
    })
    const type = response.headers.get('content-type') ?? ''
    const text = await response.text()
    const body = type.startsWith('application/json') ? (JSON.parse(text) as Back['body']) : {}
    if (type.startsWith('application/json')) check(oauthBrowser.finishOAuth as AnyRoute, response.status, body)
    return { status: response.status, text, type, body }
  }

  /** Comes back as a site should send the browser, but for what is told otherwise. */
  const finish = (attempt: Attempt, parameters: Record<string, string> = {}, accept?: string): Promise<Back> =>
    back(
      { code: secretText('code'), state: attempt.state, ...parameters },
      { cookie: attempt.cookie, ...(accept !== undefined && { accept }) },
    )

  /** Connects the site and returns the entry's id. */
  async function connect(to: BareOAuthSite = site, target: Target = {}): Promise<string> {
    const { body } = await finish(await begin(to, target))
    if (typeof body['entryId'] !== 'string') throw new Error(`The site was not connected: ${JSON.stringify(body)}`)
    return body['entryId']
  }

  const flowOf = async ({ someone: who, flowId }: Pick<Attempt, 'someone' | 'flowId'>) =>
    (await call(who, oauth.getOAuthFlow, { params: { flowId } })).body

  const entriesOf = async (who = someone) => (await call(who, vault.listVault)).body.items

  /** Everything secret that was seen at either side so far. */
  function allSecrets(): Record<string, string> {
    for (const { tokenForms, toolTokens } of [site, other]) {
      for (const token of toolTokens) keep('access token', token)
      for (const form of tokenForms)
        for (const name of ['code', 'code_verifier', 'refresh_token']) {
          const value = form.get(name)
          if (value !== null && value.length > 8) keep(name, value)
        }
    }
    return secrets
  }

  return {
    allSecrets,
    site,
    other,
    platform,
    someone,
    begin,
    open,
    back,
    finish,
    connect,
    flowOf,
    entriesOf,
    /** Asserts that no secret of any flow is in the log. */
    assertSilent: () => t.deepEqual(sightings(allSecrets(), platform.logs), []),
    /** Asserts that nobody has connected anything, that no site was asked for a token, and that the log is silent. */
    async assertNothingDone() {
      t.deepEqual(await entriesOf(), [])
      t.is(site.tokenForms.length + other.tokenForms.length, 0)
      t.deepEqual([...site.strays, ...other.strays], [])
      t.deepEqual(sightings(allSecrets(), platform.logs), [])
    },
  }
}

export type OAuthStage = ReturnType<typeof stageOn>
