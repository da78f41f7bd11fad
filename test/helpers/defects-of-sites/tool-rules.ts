import { argumentProblems } from '../../../src/sites/tool-arguments.ts'
import {
  goodToken,
  limitedToken,
  prefixLength,
  type GoodManifest,
  type SiteRequest,
  type Rule,
  type SiteResponse,
} from './defect.ts'

/** The most calls with a token: more than the checker makes, except for its burst. */
const mostCalls = 50

/** A tool endpoint that is correct if it keeps every rule. `scopesOf` returns the scopes of an access token. */
export function createToolRules(
  tools: GoodManifest['tools'],
  keeps: (rule: Rule) => boolean,
  scopesOf: (token: string) => string[] | undefined = bearerScopes(keeps),
) {
  const kept = new Map<string, SiteResponse>()
  let calls = 0
  let notes = 0

  return (request: SiteRequest): SiteResponse => {
    const { method, path, query, body, key } = request
    const inAddress = keeps('ignores tokens in the address') ? undefined : (query.get('access_token') ?? undefined)
    const token = request.token ?? inAddress
    if (token === undefined && keeps('needs a token')) return unauthorized('Send a token.')
    const scopes = token === undefined ? everything : scopesOf(token)
    if (!scopes && keeps('needs a good token')) return unauthorized('The token is not good.')
    if (method !== 'POST' && keeps('takes POST only')) return failure(405, 'Tools are called by POST.')
    if (method === 'GET') return { status: 200, body: {} }
    if (token === goodToken) calls += 1
    if (calls > mostCalls && keeps('limits calls')) {
      return { ...failure(429, 'Too many calls. Wait 30 seconds.'), headers: { 'Retry-After': '30' } }
    }
    const tool = tools.find(({ name }) => path === `/api/tools/${name}`)
    if (!tool) return keeps('knows its tools') ? failure(404, 'There is no such tool.') : { status: 200, body: {} }
    if (scopes && !scopes.includes(tool.scope) && keeps('checks permissions')) {
      return failure(403, `This needs the scope ${tool.scope}.`)
    }
    const input = keeps('converts no arguments') ? parse(body) : converted(parse(body))
    const isRead = typeof input === 'object' && input !== null && !Array.isArray(input)
    if (!isRead) return keeps('checks bodies') ? failure(400, 'Send a JSON object.') : { status: 200, body: {} }
    const [problem] = argumentProblems(tool.input_schema, input)
    if (problem && keeps('checks arguments')) return failure(400, `${problem.path} ${problem.message}`)
    const before = keeps('keeps answers by key') ? kept.get(key) : undefined
    if (before) return before
    const response = { status: 200, body: tool.effect === 'read' ? { id: 1, text: 'Buy milk' } : { id: (notes += 1) } }
    kept.set(key, response)
    return response
  }
}

const everything = ['read', 'write']
const bearerScopes = (keeps: (rule: Rule) => boolean) => (token: string) =>
  sameToken(
    keeps,
    new Map([
      [goodToken, everything],
      [limitedToken, ['read']],
    ]),
    token,
  )

/** The value stored for a token, at a site that may compare only a prefix. */
export function sameToken<T>(keeps: (rule: Rule) => boolean, kept: Map<string, T>, token: string): T | undefined {
  if (keeps('compares whole tokens')) return kept.get(token)
  const start = token.slice(0, prefixLength)
  return [...kept].find(([known]) => known.slice(0, prefixLength) === start)?.[1]
}

const failure = (status: number, error: string): SiteResponse => ({ status, body: { error } })
const unauthorized = (error: string): SiteResponse => ({
  ...failure(401, error),
  headers: { 'WWW-Authenticate': 'Bearer' },
})

/** Converts the input as an untyped language would. */
const converted = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.fromEntries(
        Object.entries(input).map(([name, value]) => [
          name,
          typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
        ]),
      )
    : input

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
