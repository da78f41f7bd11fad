import { failedIf, skipped, warnedIf, type Check } from './check.ts'
import { errorOf, isSuccess, type Outcome } from './exchange.ts'
import { tokenProblems } from './grant-checks.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'
import { exchangeCode, signInAgain } from './sign-in.ts'
import { callTool, harmlessBody, oauthOf, readTools, type Site } from './site.ts'
import { postForm, postToken, refusalProblems, textOf } from './token-endpoint.ts'
import { each, said } from './tool-checks.ts'

const grant: Check['needs'] = ['manifest', 'oauth2', 'client', 'grant']
const refreshed: Check['needs'] = [...grant, 'refresh']

const refresh = (site: Site, token: string): Promise<Outcome> =>
  postToken(site, { grant_type: 'refresh_token', refresh_token: token })

/** The first refresh: the token that the code brought, for new ones. */
const firstRefresh = (site: Site): Promise<Outcome> =>
  site.once('refresh', async () => (site.refreshed = await refresh(site, site.refreshToken ?? '')))

/** The spent refresh token, used again. A good site may end the whole grant for that, so this comes late. */
const reuse = (site: Site): Promise<Outcome> => site.once('reuse', () => refresh(site, site.refreshToken ?? ''))

/** The newer refresh token, after the spent one was used again. */
const afterReuse = (site: Site): Promise<Outcome> =>
  site.once('after reuse', async () => {
    const newer = textOf(await firstRefresh(site), 'refresh_token')
    return refresh(site, newer ?? '')
  })

/** The duties that tokens go on having. In this order: each leaves less of the grant. */
export const refreshChecks: Check[] = [
  {
    id: 'token-works',
    demands: 'The access token of a sign-in is accepted by the tools',
    section: 'OAuth 2.0 with PKCE; Tool call',
    mend: 'Look the token up where the token address has stored it.',
    needs: [...grant, 'read tool'],
    run: async (site) => failedIf(await refusedTools(site, site.token)),
  },
  {
    id: 'scope-enforced',
    demands: 'A tool that needs another scope than the granted ones is refused with 403',
    section: 'Scopes; Tool call, Failure',
    mend: 'Hold the scope of the tool against those of the token before the arguments are looked at.',
    needs: grant,
    async run(site) {
      const { requested = [], answer } = site.signIn ?? {}
      const granted = (answer && textOf(answer, 'scope')?.split(' ')) || requested
      const beyond = site.tools.filter(
        ({ scope, inputSchema }) => !granted.includes(scope) && violatingArguments(inputSchema),
      )
      if (beyond.length === 0) return skipped('There is no tool beyond the granted scopes.')
      const calls = await each(beyond, (tool) =>
        callTool(site, tool.name, { token: site.token, body: harmlessBody(tool) }),
      )
      const wrong = calls.filter(({ outcome }) => outcome.status !== 403 || errorOf(outcome) === undefined)
      return failedIf(
        wrong.map((call) => `${said(call)}${call.outcome.status === 403 ? ' It has no member error.' : ''}`),
      )
    },
  },
  {
    id: 'refresh',
    demands: 'A refresh token brings a new access token',
    section: 'Token endpoint, grant_type=refresh_token',
    mend: 'Take refresh_token and client_id, nothing else, and answer like to a code.',
    needs: refreshed,
    run: async (site) => {
      const answer = await firstRefresh(site)
      if (!isSuccess(answer))
        return failedIf([`The token address ${answer.what} (${textOf(answer, 'error') ?? 'no error'}).`])
      const same = textOf(answer, 'access_token') === textOf(site.signIn?.answer ?? answer, 'access_token')
      return failedIf([...tokenProblems(answer), ...(same ? ['The access token is the same as before.'] : [])])
    },
  },
  {
    id: 'rotation',
    demands: 'Every refresh brings a new refresh token',
    section: 'OAuth token response, refresh_token; States, rule 4',
    mend: 'Make a new refresh token for every answer, and spend the old one in the same transaction.',
    needs: refreshed,
    run: async (site) => {
      const answer = await firstRefresh(site)
      if (!isSuccess(answer)) return skipped('The refresh was refused.')
      const newer = textOf(answer, 'refresh_token')
      if (newer === undefined) return failedIf(['The answer has no refresh_token.'])
      return failedIf(newer === site.refreshToken ? ['The refresh token is the same as before.'] : [])
    },
  },
  {
    id: 'refresh-scope',
    demands: 'A refresh does not widen the scopes',
    section: 'RFC 6749, 6',
    mend: 'Keep the scopes of the grant with it, and answer with those or fewer.',
    needs: refreshed,
    run: async (site) => {
      const answer = await firstRefresh(site)
      if (!isSuccess(answer)) return skipped('The refresh was refused.')
      const before = textOf(site.signIn?.answer ?? answer, 'scope')?.split(' ') ?? site.signIn?.requested ?? []
      const more = (textOf(answer, 'scope') ?? '').split(' ').filter((scope) => scope !== '' && !before.includes(scope))
      return failedIf(more.length > 0 ? [`It brought ${more.join(' ')} as well.`] : [])
    },
  },
  {
    id: 'refreshed-works',
    demands: 'The refreshed access token is accepted by the tools',
    section: 'OAuth 2.0 with PKCE; Tool call',
    mend: 'Store the new access token before the answer is sent.',
    needs: [...refreshed, 'read tool'],
    run: async (site) => {
      const token = textOf(await firstRefresh(site), 'access_token')
      return token === undefined ? skipped('The refresh was refused.') : failedIf(await refusedTools(site, token))
    },
  },
  {
    id: 'refresh-once',
    demands: 'A refresh token is good for one use',
    section: 'Limits, Refresh token lifetime; States, rule 4',
    mend: 'Refuse a spent refresh token with 400 invalid_grant, and end its grant: somebody may have stolen it.',
    needs: refreshed,
    run: async (site) => {
      const first = await firstRefresh(site)
      if (!isSuccess(first)) return skipped('The refresh was refused.')
      const newer = textOf(first, 'refresh_token')
      if (newer === undefined || newer === site.refreshToken) return skipped('Refresh tokens are not rotated.')
      const answer = await reuse(site)
      if (isSuccess(answer)) return failedIf(['The spent refresh token brought tokens again.'])
      return failedIf(refusalProblems(site, answer, ['invalid_grant']))
    },
  },
  {
    id: 'reuse-ends-grant',
    demands: 'When a spent refresh token comes again, the newer one dies with it',
    section: 'RFC 9700, 4.14.2',
    mend: 'End the whole grant: one of the two who hold its tokens is a thief.',
    needs: refreshed,
    run: async (site) => {
      const newer = textOf(await firstRefresh(site), 'refresh_token')
      if (newer === undefined || newer === site.refreshToken) return skipped('Refresh tokens are not rotated.')
      if (isSuccess(await reuse(site))) return skipped('The spent one was accepted.')
      return warnedIf(isSuccess(await afterReuse(site)) ? ['The newer one still works.'] : [])
    },
  },
  {
    id: 'code-once',
    demands: 'A code is good for one use',
    section: 'RFC 6749, 4.1.2',
    mend: 'Delete the code in the transaction that gives tokens for it; answer 400 invalid_grant to the next.',
    needs: grant,
    run: async (site) => {
      const { signIn, options } = site
      if (!signIn || !options.oauth || !isSuccess(signIn.answer)) return skipped('There are no tokens.')
      const answer = await exchangeCode(site, options.oauth, signIn)
      if (isSuccess(answer)) return failedIf(['The same code brought tokens twice.'])
      return failedIf(refusalProblems(site, answer, ['invalid_grant']))
    },
  },
  {
    id: 'revocation',
    demands: 'A grant that is revoked at revocation_url is over',
    section: 'RFC 7009, 2; member revocation_url of this platform',
    mend: 'Take token and client_id, end the grant of a refresh token, and answer 200, also for unknown tokens.',
    needs: grant,
    run: async (site) => {
      const { revocation_url: address } = oauthOf(site)
      if (address === undefined) return skipped('The manifest declares no revocation_url.')
      if (!(await signInAgain(site)) || !site.refreshToken) return skipped('It needs one more sign-in.')
      const form = { token: site.refreshToken }
      const answer = await postForm(site, address, form)
      if (answer.status !== 200) return failedIf([`The revocation address ${answer.what}, not with 200.`])
      const after = await refresh(site, site.refreshToken)
      return failedIf(isSuccess(after) ? ['The revoked refresh token brought tokens.'] : [])
    },
  },
]

async function refusedTools(site: Site, token: string | undefined): Promise<string[]> {
  const tool = readTools(site).find(({ scope, inputSchema }) => isGranted(site, scope) && sampleArguments(inputSchema))
  if (!tool) return []
  const calls = await each([tool], () => callTool(site, tool.name, { token, body: harmlessBody(tool) }))
  return calls.filter(({ outcome }) => [401, 403].includes(outcome.status)).map(said)
}

const isGranted = ({ signIn }: Site, scope: string): boolean => signIn?.requested.includes(scope) ?? false
