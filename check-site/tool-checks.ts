import { failedIf, skipped, warnedIf, type Check } from './check.ts'
import { errorOf, isRefusal, isSuccess, type Outcome } from './exchange.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'
import { callableTools, callTool, harmlessBody, readTools, toolAddress, type Site } from './site.ts'

export type Called = { name: string; outcome: Outcome }

/** Asks about each tool, one after the other. */
export async function each<T extends { name: string }>(
  tools: T[],
  ask: (tool: T) => Promise<Outcome>,
): Promise<Called[]> {
  const called: Called[] = []
  for (const tool of tools) called.push({ name: tool.name, outcome: await ask(tool) })
  return called
}

export const said = ({ name, outcome }: Called): string => `${name} ${outcome.what}.`.replace(/\.\.$/, '.')

const wrongToken = 'switchyard-check-this-token-is-not-good'

const knock = (site: Site, token?: string): Promise<Called[]> =>
  site.once(`knock ${token}`, () =>
    each(site.tools, (tool) => callTool(site, tool.name, { token, body: harmlessBody(tool) })),
  )

/** Every call that should have been refused with 401, answered in whatever way. */
const unauthorized = async (site: Site): Promise<Called[]> => [
  ...(await knock(site)),
  ...(await knock(site, wrongToken)),
]

const notUnauthorized = (calls: Called[]): string[] =>
  calls.filter(({ outcome }) => !outcome.failure && outcome.status !== 401 && outcome.status !== 429).map(said)

/** Calls with arguments that the schema refuses. */
const violate = (site: Site): Promise<Called[]> =>
  site.once('violate', () =>
    each(
      callableTools(site).filter(({ inputSchema }) => violatingArguments(inputSchema)),
      ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: violatingArguments(inputSchema) }),
    ),
  )

const generic =
  /^(?:an? )?(?:unknown |internal |server )?(?:error|failed|failure|bad request|invalid(?: request)?|\d+)[.!]?$/i

/** The duties at the tool endpoints (docs/specification.md, "Tool call"), but for what a tool answers. */
export const toolChecks: Check[] = [
  {
    id: 'tools-reached',
    demands: 'Every tool endpoint is reached over HTTPS, and answers',
    section: 'Tool call',
    mend: 'Serve POST {server.url}/tools/{name} for every tool of the manifest.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf((await unauthorized(site)).filter(({ outcome }) => outcome.failure).map(said)),
  },
  {
    id: 'no-token',
    demands: 'A call without a token is refused with 401',
    section: 'Tool call, Failure',
    mend: 'Look at the Authorization header first, before the body is read, and answer 401 if there is no token.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf(notUnauthorized(await knock(site))),
  },
  {
    id: 'wrong-token',
    demands: 'A call with a wrong token is refused with 401',
    section: 'Bearer tokens',
    mend: 'Look the token up on every call, for every tool; answer 401 if it is unknown, expired or revoked.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf(notUnauthorized(await knock(site, wrongToken))),
  },
  {
    id: 'unauthorized-body',
    demands: 'A 401 carries a JSON body with the member error',
    section: 'Site-side errors',
    mend: 'Answer with { "error": "<what is wrong with the token>" }.',
    needs: ['manifest', 'tool'],
    run: async (site) => withError(await unauthorized(site), 401),
  },
  {
    id: 'www-authenticate',
    demands: 'A 401 says how to authenticate',
    section: 'RFC 6750, 3',
    mend: 'Send the header WWW-Authenticate: Bearer, with error="invalid_token" where there was a token.',
    needs: ['manifest', 'tool'],
    run: async (site) => {
      const silent = (await unauthorized(site)).filter(({ outcome }) => outcome.status === 401 && !challenges(outcome))
      const names = [...new Set(silent.map(({ name }) => name))].join(', ')
      return warnedIf(silent.length > 0 ? [`There is no WWW-Authenticate: Bearer with the 401 of ${names}.`] : [])
    },
  },
  {
    id: 'post-only',
    demands: 'A tool is called by POST only',
    section: 'Tool call',
    mend: 'Answer GET with 405 or 404.',
    needs: ['manifest', 'tool'],
    run: async (site) => {
      const tools = (readTools(site).length > 0 ? readTools(site) : site.tools).slice(0, 1)
      const calls = await each(tools, ({ name }) =>
        site.exchange.ask({ url: toolAddress(site, name), method: 'GET', token: site.token }),
      )
      return failedIf(calls.filter(({ outcome }) => isSuccess(outcome)).map((call) => `GET ${said(call)}`))
    },
  },
  {
    id: 'token-accepted',
    demands: 'A good token is accepted',
    section: 'Authentication',
    mend: 'Check that the token given to the checker is of this site, and neither expired nor revoked.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const calls = await tried(site)
      if (calls.length === 0) return skipped('No arguments that fit were found; put examples into the schema.')
      return failedIf(calls.filter(({ outcome }) => outcome.status === 401).map(said))
    },
  },
  {
    id: 'unknown-tool',
    demands: 'A tool that does not exist is refused with a status of 4xx and an error',
    section: 'Tool call',
    mend: 'Answer 404 with { "error": "There is no such tool." }.',
    needs: ['manifest', 'token'],
    run: async (site) => {
      const name = 'switchyard_check_no_such_tool'
      const [call] = await each([{ name }], () => callTool(site, name, { token: site.token, body: {} }))
      if (!call || call.outcome.failure) return skipped('The tools do not answer.')
      const mute = isRefusal(call.outcome) && errorOf(call.outcome) === undefined
      const why = `${said(call)}${mute ? ' It has no member error.' : ''}`
      return failedIf(isRefusal(call.outcome) && !mute ? [] : [why])
    },
  },
  {
    id: 'arguments-checked',
    demands: 'Arguments that do not fit input_schema are refused with 4xx',
    section: 'Tool call: parse the input parameters',
    mend: 'Hold the body against the input_schema of the tool before doing anything, and answer 400.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const calls = (await violate(site)).filter(({ outcome }) => !outcome.failure)
      if (calls.length === 0) return skipped('No schema refuses anything.')
      return failedIf(calls.filter(({ outcome }) => !isRefusal(outcome)).map(said))
    },
  },
  {
    id: 'arguments-message',
    demands: 'The refusal of wrong arguments says what is wrong',
    section: 'Tool call: error responses carry a meaningful message',
    mend: 'Name the member and what it must be: { "error": "id must be a number" }. A model reads it and tries again.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const refused = (await violate(site)).filter(({ outcome }) => isRefusal(outcome) && outcome.status !== 429)
      if (refused.length === 0) return skipped('No wrong arguments were refused.')
      const mute = refused.filter(({ outcome }) => generic.test(errorOf(outcome) ?? 'error'))
      return failedIf(mute.map(({ name, outcome }) => `${name} says ${JSON.stringify(errorOf(outcome) ?? 'nothing')}.`))
    },
  },
  {
    id: 'body-checked',
    demands: 'A body that is no JSON object is refused with 4xx',
    section: 'Tool call, Request body',
    mend: 'Answer 400 to what is no JSON, and to lists and other values.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const [tool] = callableTools(site)
      const bodies = ['[]', '{"cut'].map((body) => ({ name: tool?.name ?? '', body }))
      const calls = await each(bodies, ({ name, body }) => callTool(site, name, { token: site.token, body }))
      const wrong = calls
        .map((call, i) => ({ call, body: bodies[i]?.body }))
        .filter(({ call }) => !call.outcome.failure)
      return failedIf(
        wrong.filter(({ call }) => !isRefusal(call.outcome)).map(({ call, body }) => `To ${body} ${said(call)}`),
      )
    },
  },
]

/** Good arguments for the tools that may be called; what came back is judged by the checks of answers. */
export const tried = (site: Site): Promise<Called[]> =>
  site.once('tried', () =>
    each(
      callableTools(site).filter(({ inputSchema }) => sampleArguments(inputSchema)),
      ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: sampleArguments(inputSchema) }),
    ),
  )

/** The calls that were answered with the status must carry an error. */
export function withError(calls: Called[], status: number) {
  const answered = calls.filter(({ outcome }) => outcome.status === status)
  if (answered.length === 0) return skipped(`Nothing was answered with ${status}.`)
  const mute = answered.filter(({ outcome }) => errorOf(outcome) === undefined)
  return failedIf([...new Set(mute.map(({ name }) => `The ${status} of ${name} has no { "error": "…" }.`))])
}

const challenges = ({ headers }: Outcome): boolean => /\bbearer\b/i.test(headers.get('www-authenticate') ?? '')
