import {
  absent,
  blocked,
  failedIf,
  skipped,
  toolsSilent,
  warnedIf,
  withoutArguments,
  type Check,
  type Finding,
} from './check.ts'
import { callEach, describe, probe, unauthorized, validCalls, wrongToken, type Called } from './calls.ts'
import { errorOf, isRefusal, isSuccess, type Outcome } from './exchange.ts'
import { answeredByTool, obstacleOf, type Obstacle } from './obstacles.ts'
import { callTool, readTools, toolAddress, type Site } from './site.ts'

const refused = new Set([401, 429])
const notUnauthorized = (site: Site, calls: Called[]): Called[] =>
  answeredByTool(site, calls).filter(({ outcome }) => !refused.has(outcome.status))

/** The requirements for tool endpoints (docs/specification.md, "Tool call"), except for a tool's response. */
export const toolChecks: Check[] = [
  {
    id: 'tools-reached',
    requirement: 'Every tool endpoint is reachable over HTTPS',
    section: 'Tool call',
    fix: 'Serve POST {server.url}/tools/{name} for every tool of the manifest.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf((await unauthorized(site)).filter(({ outcome }) => outcome.failure).map(describe)),
  },
  {
    id: 'answer-redirect',
    requirement: 'A call is not redirected',
    section: 'Tool call; the platform follows no redirect with a credential',
    fix: 'Put the final address into server.url, and do not redirect API calls to a login page.',
    needs: ['manifest', 'tool'],
    run: (site) => reportObstacle(site, 'redirect'),
  },
  {
    id: 'answer-page',
    requirement: 'A call is answered by the tool, not by a web page',
    section: 'Tool call, Success response; Site-side errors',
    fix: 'Something in front of the tools responds with HTML: bot protection, a login page, or an error page from the framework or the proxy. Exempt {server.url}/tools/ from it, and check server.url.',
    needs: ['manifest', 'tool'],
    run: (site) => reportObstacle(site, 'page'),
  },
  {
    id: 'no-token',
    requirement: 'A call without a token is refused with 401',
    section: 'Tool call, Failure',
    fix: 'Check the Authorization header before you read the body, and return 401 if there is no token.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf(notUnauthorized(site, await probe(site)).map(describe)),
  },
  {
    id: 'wrong-token',
    requirement: 'A call with a wrong token is refused with 401',
    section: 'Bearer tokens',
    fix: 'Look the token up on every call, for every tool; return 401 if the token is unknown, expired or revoked.',
    needs: ['manifest', 'tool'],
    run: wrongTokenRefused,
  },
  {
    id: 'unauthorized-body',
    requirement: 'A 401 carries a JSON body with an "error" member',
    section: 'Site-side errors',
    fix: 'Answer with { "error": "<what is wrong with the token>" }.',
    needs: ['manifest', 'tool'],
    run: async (site) => withError(site, await unauthorized(site), 401),
  },
  {
    id: 'www-authenticate',
    requirement: 'A 401 says how to authenticate',
    section: 'RFC 6750, section 3',
    fix: 'Send the header WWW-Authenticate: Bearer, with error="invalid_token" if there was a token.',
    needs: ['manifest', 'tool'],
    run: async (site) => {
      const silent = (await unauthorized(site)).filter(({ outcome }) => outcome.status === 401 && !challenges(outcome))
      const names = [...new Set(silent.map(({ name }) => name))].join(', ')
      return warnedIf(silent.length > 0 ? [`There is no WWW-Authenticate: Bearer in the 401 from ${names}.`] : [])
    },
  },
  {
    id: 'post-only',
    requirement: 'A tool accepts POST only',
    section: 'Tool call',
    fix: 'Answer GET with 405 or 404.',
    needs: ['manifest', 'tool'],
    run: async (site) => {
      const tools = (readTools(site).length > 0 ? readTools(site) : site.tools).slice(0, 1)
      const calls = await callEach(tools, ({ name }) =>
        site.exchange.send({ url: toolAddress(site, name), method: 'GET', token: site.token }),
      )
      const taken = answeredByTool(site, calls).filter(({ outcome }) => isSuccess(outcome))
      return failedIf(taken.map((call) => `GET ${describe(call)}`))
    },
  },
  {
    id: 'token-accepted',
    requirement: 'A valid token is accepted',
    section: 'Authentication',
    fix: 'Check that the token given to the checker belongs to this site, and is neither expired nor revoked.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      if (site.signIn) return absent('The token came from a sign-in: see [token-works].')
      const calls = await validCalls(site)
      if (calls.length === 0) return withoutArguments
      return failedIf(calls.filter(({ outcome }) => outcome.status === 401).map(describe))
    },
  },
  {
    id: 'unknown-tool',
    requirement: 'An unknown tool is refused with 4xx and an error',
    section: 'Tool call',
    fix: 'Return 404 with { "error": "There is no such tool." }.',
    needs: ['manifest', 'token'],
    run: async (site) => {
      const name = 'switchyard_check_no_such_tool'
      const calls = await callEach([{ name }], () => callTool(site, name, { token: site.token, body: {} }))
      const [call] = answeredByTool(site, calls)
      if (!call) return toolsSilent
      const withoutError = isRefusal(call.outcome) && errorOf(call.outcome) === undefined
      const why = `${describe(call)}${withoutError ? ' It has no "error" member.' : ''}`
      return failedIf(isRefusal(call.outcome) && !withoutError ? [] : [why])
    },
  },
]

/** Reports once what answers instead of tools. Other checks then ignore such responses. */
async function reportObstacle(site: Site, obstacle: Obstacle): Promise<Finding> {
  const valid = site.token === undefined ? [] : await validCalls(site)
  const calls = [...(await unauthorized(site)), ...valid].filter(({ outcome }) => obstacleOf(outcome) === obstacle)
  if (calls.length > 0) site.reported.add(obstacle)
  return failedIf([...new Set(calls.map(describe))])
}

/** A tool that answers the same without a token was already reported for that. */
async function wrongTokenRefused(site: Site): Promise<Finding> {
  const without = new Map((await probe(site)).map(({ name, outcome }) => [name, outcome.status]))
  const calls = notUnauthorized(site, await probe(site, wrongToken))
  const own = calls.filter(({ name, outcome }) => without.get(name) !== outcome.status)
  return calls.length > 0 && own.length === 0 ? blocked('no-token') : failedIf(own.map(describe))
}

/** All responses with this status must contain an error. */
export function withError(site: Site, calls: Called[], status: number): Finding {
  const answered = answeredByTool(site, calls).filter(({ outcome }) => outcome.status === status)
  if (answered.length === 0)
    return skipped(`No tool answered with ${status}.`, 'Fix what failed above, and check again.')
  const withoutError = answered.filter(({ outcome }) => errorOf(outcome) === undefined)
  return failedIf([...new Set(withoutError.map((call) => `${describe(call)} It has no { "error": "…" }.`))])
}

const challenges = ({ headers }: Outcome): boolean => /\bbearer\b/i.test(headers.get('www-authenticate') ?? '')
