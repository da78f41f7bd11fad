import { absent, blocked, failedIf, skipped, warnedIf, type Check, type Finding } from './check.ts'
import { callEach, describe } from './calls.ts'
import { errorOf, isSuccess, type Outcome } from './exchange.ts'
import { nobodySignedIn, tokenProblems } from './grant-checks.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'
import { exchangeCode, signInAgain } from './sign-in.ts'
import { callTool, oauthOf, readTools, safeBody, type Site } from './site.ts'
import { postForm, postToken, refusedGrant, textOf } from './token-endpoint.ts'
import { accepted } from './token-use-checks.ts'

const grant: Check['needs'] = ['manifest', 'oauth2', 'client', 'grant']
const refreshed: Check['needs'] = [...grant, 'refresh']

const refresh = (site: Site, token: string): Promise<Outcome> =>
  postToken(site, { grant_type: 'refresh_token', refresh_token: token })

/** The first refresh, with the refresh token of the code exchange. */
const firstRefresh = (site: Site): Promise<Outcome> =>
  site.once('refresh', async () => (site.refreshed = await refresh(site, site.refreshToken ?? '')))

/** Reuses the spent refresh token. A good site may then end the whole grant, so this check runs late. */
const reuse = (site: Site): Promise<Outcome> => site.once('reuse', () => refresh(site, site.refreshToken ?? ''))

/** Uses the newer refresh token after the spent one was reused. */
const afterReuse = (site: Site): Promise<Outcome> =>
  site.once('after reuse', async () => {
    const newer = textOf(await firstRefresh(site), 'refresh_token')
    return refresh(site, newer ?? '')
  })

/** A check of the first refresh, if that returned tokens. */
const ofRefresh = (check: (answer: Outcome, site: Site) => Finding | Promise<Finding>) => async (site: Site) => {
  const answer = await firstRefresh(site)
  return isSuccess(answer) ? check(answer, site) : blocked('refresh')
}

/** A check of the newer refresh token, if there is one. */
const ofRotation = (check: (site: Site) => Promise<Finding>) =>
  ofRefresh((answer, site) => {
    const newer = textOf(answer, 'refresh_token')
    return newer === undefined || newer === site.refreshToken ? blocked('rotation') : check(site)
  })

/** The requirements for tokens after the sign-in. The order matters, because each check uses up part of the grant. */
export const refreshChecks: Check[] = [
  {
    id: 'token-works',
    requirement: 'The access token of a sign-in is accepted by the tools',
    section: 'OAuth 2.0 with PKCE; Tool call',
    fix: 'Look the token up where the token address stored it.',
    needs: [...grant, 'read tool'],
    causes: ['token-answer'],
    run: async (site) => failedIf(await refusedTools(site, site.token)),
  },
  {
    id: 'refresh-token-as-access',
    requirement: 'A refresh token is not accepted by the tools',
    section: 'OAuth 2.0 with PKCE; RFC 6749, section 1.5',
    fix: 'Look up access tokens only, or check the type of the token: a refresh token lives for a month.',
    needs: [...refreshed, 'tool'],
    causes: ['no-token', 'wrong-token'],
    run: refreshTokenRefused,
  },
  {
    id: 'scope-enforced',
    requirement: 'A call to a tool whose scope was not granted is refused with 403',
    section: 'Scopes; Tool call, Failure',
    fix: 'Check the scopes of the token before you validate the arguments.',
    needs: grant,
    causes: ['token-answer', 'token-works'],
    async run(site) {
      const { requested = [], answer } = site.signIn ?? {}
      const granted = (answer && textOf(answer, 'scope')?.split(' ')) || requested
      const beyond = site.tools.filter(
        ({ scope, inputSchema }) => !granted.includes(scope) && violatingArguments(inputSchema),
      )
      if (beyond.length === 0)
        return skipped('No tool needs more than the granted scopes.', 'Request fewer scopes with --scope.')
      const calls = await callEach(beyond, (tool) =>
        callTool(site, tool.name, { token: site.token, body: safeBody(tool) }),
      )
      const wrong = calls.filter(({ outcome }) => outcome.status !== 403 || errorOf(outcome) === undefined)
      return failedIf(
        wrong.map((call) => `${describe(call)}${call.outcome.status === 403 ? ' It has no "error" member.' : ''}`),
      )
    },
  },
  {
    id: 'refresh',
    requirement: 'A refresh token yields a new access token',
    section: 'Token endpoint, grant_type=refresh_token',
    fix: 'Accept a refresh that has only refresh_token and client_id, and respond to it as you do to a code.',
    needs: refreshed,
    causes: ['token-answer'],
    run: async (site) => {
      const answer = await firstRefresh(site)
      if (!isSuccess(answer)) return failedIf([`The token address ${answer.what}`])
      const same = textOf(answer, 'access_token') === textOf(site.signIn?.answer ?? answer, 'access_token')
      return failedIf([
        ...tokenProblems(answer),
        ...(same ? [`The access token is the same as before. The token address ${answer.what}`] : []),
      ])
    },
  },
  {
    id: 'rotation',
    requirement: 'Every refresh returns a new refresh token',
    section: 'OAuth token response, refresh_token; States, rule 4',
    fix: 'Create a new refresh token for every response, and mark the old one as spent in the same transaction.',
    needs: refreshed,
    run: ofRefresh((answer, site) => {
      const newer = textOf(answer, 'refresh_token')
      if (newer === undefined) return failedIf([`The response has no refresh_token. The token address ${answer.what}`])
      return failedIf(
        newer === site.refreshToken
          ? [`The refresh token is the same as before. The token address ${answer.what}`]
          : [],
      )
    }),
  },
  {
    id: 'refresh-scope',
    requirement: 'A refresh does not widen the scopes',
    section: 'RFC 6749, section 6',
    fix: 'Store the scopes with the grant, and return those or fewer.',
    needs: refreshed,
    run: ofRefresh((answer, site) => {
      const before = textOf(site.signIn?.answer ?? answer, 'scope')?.split(' ') ?? site.signIn?.requested ?? []
      const more = (textOf(answer, 'scope') ?? '').split(' ').filter((scope) => scope !== '' && !before.includes(scope))
      return failedIf(more.length > 0 ? [`It granted ${more.join(' ')} as well. The token address ${answer.what}`] : [])
    }),
  },
  {
    id: 'refreshed-works',
    requirement: 'The refreshed access token is accepted by the tools',
    section: 'OAuth 2.0 with PKCE; Tool call',
    fix: 'Store the new access token before you send the response.',
    needs: [...refreshed, 'read tool'],
    causes: ['token-works'],
    run: async (site) => {
      const token = textOf(await firstRefresh(site), 'access_token')
      return token === undefined ? blocked('refresh') : failedIf(await refusedTools(site, token))
    },
  },
  {
    id: 'refresh-once',
    requirement: 'A refresh token is valid only once',
    section: 'Limits, Refresh token lifetime; States, rule 4',
    fix: 'Refuse a spent refresh token with 400 invalid_grant, and end its grant, because the token may have been stolen.',
    needs: refreshed,
    run: ofRotation(async (site) =>
      refusedGrant(site, await reuse(site), 'The spent refresh token returned tokens again.'),
    ),
  },
  {
    id: 'reuse-ends-grant',
    requirement: 'If a spent refresh token is used again, the newer one stops working too',
    section: 'RFC 9700, section 4.14.2',
    fix: 'End the whole grant: two parties hold its tokens, and one of them stole a token.',
    needs: refreshed,
    run: ofRotation(async (site) => {
      if (isSuccess(await reuse(site))) return blocked('refresh-once')
      return warnedIf(isSuccess(await afterReuse(site)) ? ['The newer refresh token still works.'] : [])
    }),
  },
  {
    id: 'code-once',
    requirement: 'A code is valid only once',
    section: 'RFC 6749, section 4.1.2',
    fix: 'Delete the code in the transaction that issues its tokens. If the code is used again, return 400 invalid_grant.',
    needs: grant,
    run: async (site) => {
      const { signIn, options } = site
      if (!signIn || !options.oauth || !isSuccess(signIn.answer)) return blocked('token-answer')
      return refusedGrant(site, await exchangeCode(site, options.oauth, signIn), 'The same code returned tokens twice.')
    },
  },
  {
    id: 'revocation',
    requirement: 'A grant that is revoked at revocation_url ends',
    section: 'RFC 7009, section 2; member revocation_url of this platform',
    fix: 'Accept token and client_id, end the grant that the refresh token belongs to, and return 200, even for unknown tokens.',
    needs: grant,
    causes: ['refresh-once'],
    run: async (site) => {
      const { revocation_url: address } = oauthOf(site)
      if (address === undefined) return absent('The manifest declares no revocation_url.')
      if (!(await signInAgain(site)) || !site.refreshToken) return nobodySignedIn
      const form = { token: site.refreshToken }
      const answer = await postForm(site, address, form)
      if (answer.status !== 200) return failedIf([`The status is not 200. The revocation address ${answer.what}`])
      const after = await refresh(site, site.refreshToken)
      return failedIf(
        isSuccess(after) ? [`The revoked refresh token returned tokens. The token address ${after.what}`] : [],
      )
    },
  },
]

async function refreshTokenRefused(site: Site): Promise<Finding> {
  const tool = readTools(site)[0] ?? site.tools[0]
  if (!tool) return failedIf([])
  const calls = await accepted(site, tool, site.refreshToken ?? '')
  return failedIf(calls.map((call) => `With the refresh token, ${describe(call)}`))
}

async function refusedTools(site: Site, token: string | undefined): Promise<string[]> {
  const tool = readTools(site).find(({ scope, inputSchema }) => isGranted(site, scope) && sampleArguments(inputSchema))
  if (!tool) return []
  const calls = await callEach([tool], () => callTool(site, tool.name, { token, body: safeBody(tool) }))
  return calls.filter(({ outcome }) => [401, 403].includes(outcome.status)).map(describe)
}

const isGranted = ({ signIn }: Site, scope: string): boolean => signIn?.requested.includes(scope) ?? false
