import { failedIf, skipped, warnedIf, type Check } from './check.ts'
import { errorOf, isRefusal, isSuccess, type Outcome } from './exchange.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'
import { callableTools, callTool, readTools, safeBody, toolAddress, type Site } from './site.ts'

export type Called = { name: string; outcome: Outcome }

/** Calls each tool, one after the other. */
export async function callEach<T extends { name: string }>(
  tools: T[],
  call: (tool: T) => Promise<Outcome>,
): Promise<Called[]> {
  const called: Called[] = []
  for (const tool of tools) called.push({ name: tool.name, outcome: await call(tool) })
  return called
}

export const describe = ({ name, outcome }: Called): string => `${name} ${outcome.what}.`.replace(/\.\.$/, '.')

const wrongToken = 'switchyard-check-this-token-is-not-good'

const probe = (site: Site, token?: string): Promise<Called[]> =>
  site.once(`probe ${token}`, () =>
    callEach(site.tools, (tool) => callTool(site, tool.name, { token, body: safeBody(tool) })),
  )

/** The outcomes of all calls that must be refused with 401. */
const unauthorized = async (site: Site): Promise<Called[]> => [
  ...(await probe(site)),
  ...(await probe(site, wrongToken)),
]

const notUnauthorized = (calls: Called[]): string[] =>
  calls.filter(({ outcome }) => !outcome.failure && outcome.status !== 401 && outcome.status !== 429).map(describe)

/** Calls with arguments that violate the schema. */
const invalidCalls = (site: Site): Promise<Called[]> =>
  site.once('invalidCalls', () =>
    callEach(
      callableTools(site).filter(({ inputSchema }) => violatingArguments(inputSchema)),
      ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: violatingArguments(inputSchema) }),
    ),
  )

const generic =
  /^(?:an? )?(?:unknown |internal |server )?(?:error|failed|failure|bad request|invalid(?: request)?|\d+)[.!]?$/i

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
    id: 'no-token',
    requirement: 'A call without a token is refused with 401',
    section: 'Tool call, Failure',
    fix: 'Check the Authorization header before you read the body, and answer 401 if there is no token.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf(notUnauthorized(await probe(site))),
  },
  {
    id: 'wrong-token',
    requirement: 'A call with a wrong token is refused with 401',
    section: 'Bearer tokens',
    fix: 'Look the token up on every call, for every tool; answer 401 if it is unknown, expired or revoked.',
    needs: ['manifest', 'tool'],
    run: async (site) => failedIf(notUnauthorized(await probe(site, wrongToken))),
  },
  {
    id: 'unauthorized-body',
    requirement: 'A 401 carries a JSON body with the member error',
    section: 'Site-side errors',
    fix: 'Answer with { "error": "<what is wrong with the token>" }.',
    needs: ['manifest', 'tool'],
    run: async (site) => withError(await unauthorized(site), 401),
  },
  {
    id: 'www-authenticate',
    requirement: 'A 401 says how to authenticate',
    section: 'RFC 6750, 3',
    fix: 'Send the header WWW-Authenticate: Bearer, with error="invalid_token" if there was a token.',
    needs: ['manifest', 'tool'],
    run: async (site) => {
      const silent = (await unauthorized(site)).filter(({ outcome }) => outcome.status === 401 && !challenges(outcome))
      const names = [...new Set(silent.map(({ name }) => name))].join(', ')
      return warnedIf(silent.length > 0 ? [`No WWW-Authenticate: Bearer with the 401 of ${names}.`] : [])
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
      return failedIf(calls.filter(({ outcome }) => isSuccess(outcome)).map((call) => `GET ${describe(call)}`))
    },
  },
  {
    id: 'token-accepted',
    requirement: 'A valid token is accepted',
    section: 'Authentication',
    fix: 'Check that the token given to the checker belongs to this site, and is neither expired nor revoked.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const calls = await validCalls(site)
      if (calls.length === 0) return skipped('No valid arguments could be generated; add examples to the schema.')
      return failedIf(calls.filter(({ outcome }) => outcome.status === 401).map(describe))
    },
  },
  {
    id: 'unknown-tool',
    requirement: 'An unknown tool is refused with 4xx and an error',
    section: 'Tool call',
    fix: 'Answer 404 with { "error": "There is no such tool." }.',
    needs: ['manifest', 'token'],
    run: async (site) => {
      const name = 'switchyard_check_no_such_tool'
      const [call] = await callEach([{ name }], () => callTool(site, name, { token: site.token, body: {} }))
      if (!call || call.outcome.failure) return skipped('The tools do not answer.')
      const withoutError = isRefusal(call.outcome) && errorOf(call.outcome) === undefined
      const why = `${describe(call)}${withoutError ? ' It has no member error.' : ''}`
      return failedIf(isRefusal(call.outcome) && !withoutError ? [] : [why])
    },
  },
  {
    id: 'arguments-checked',
    requirement: 'Arguments that do not fit input_schema are refused with 4xx',
    section: 'Tool call: parse the input parameters',
    fix: "Validate the body against the tool's input_schema first, and answer 400.",
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const calls = (await invalidCalls(site)).filter(({ outcome }) => !outcome.failure)
      if (calls.length === 0) return skipped('No schema rejects anything.')
      return failedIf(calls.filter(({ outcome }) => !isRefusal(outcome)).map(describe))
    },
  },
  {
    id: 'arguments-message',
    requirement: 'The error for wrong arguments says what is wrong',
    section: 'Tool call: error responses carry a meaningful message',
    fix: 'Name the member and what it must be: { "error": "id must be a number" }. A model reads it and tries again.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const refused = (await invalidCalls(site)).filter(({ outcome }) => isRefusal(outcome) && outcome.status !== 429)
      if (refused.length === 0) return skipped('No wrong arguments were refused.')
      const withoutError = refused.filter(({ outcome }) => generic.test(errorOf(outcome) ?? 'error'))
      return failedIf(
        withoutError.map(({ name, outcome }) => `${name} says ${JSON.stringify(errorOf(outcome) ?? 'nothing')}.`),
      )
    },
  },
  {
    id: 'body-checked',
    requirement: 'A body that is not a JSON object is refused with 4xx',
    section: 'Tool call, Request body',
    fix: 'Answer 400 to invalid JSON, and to lists and other values.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const [tool] = callableTools(site)
      const bodies = ['[]', '{"cut'].map((body) => ({ name: tool?.name ?? '', body }))
      const calls = await callEach(bodies, ({ name, body }) => callTool(site, name, { token: site.token, body }))
      const wrong = calls
        .map((call, i) => ({ call, body: bodies[i]?.body }))
        .filter(({ call }) => !call.outcome.failure)
      return failedIf(
        wrong.filter(({ call }) => !isRefusal(call.outcome)).map(({ call, body }) => `To ${body} ${describe(call)}`),
      )
    },
  },
]

/** Calls with valid arguments to the tools that may be called; the response checks use the outcomes. */
export const validCalls = (site: Site): Promise<Called[]> =>
  site.once('validCalls', () =>
    callEach(
      callableTools(site).filter(({ inputSchema }) => sampleArguments(inputSchema)),
      ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: sampleArguments(inputSchema) }),
    ),
  )

/** All responses with this status must carry an error. */
export function withError(calls: Called[], status: number) {
  const answered = calls.filter(({ outcome }) => outcome.status === status)
  if (answered.length === 0) return skipped(`Nothing was answered with ${status}.`)
  const withoutError = answered.filter(({ outcome }) => errorOf(outcome) === undefined)
  return failedIf([...new Set(withoutError.map(({ name }) => `The ${status} of ${name} has no { "error": "…" }.`))])
}

const challenges = ({ headers }: Outcome): boolean => /\bbearer\b/i.test(headers.get('www-authenticate') ?? '')
