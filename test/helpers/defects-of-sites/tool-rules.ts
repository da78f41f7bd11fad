import { argumentProblems } from '../../../src/sites/tool-arguments.ts'
import type { GoodManifest, Heard, Rule, Said } from './defect.ts'

/** The calls that a token allows: more than the checker makes, except for its burst. */
const mostCalls = 50

/** A tool endpoint, correct if it keeps every rule. `scopesOf` returns the scopes of an access token. */
export function createToolRules(
  tools: GoodManifest['tools'],
  keeps: (rule: Rule) => boolean,
  scopesOf: (token: string) => string[] | undefined = bearerScopes,
) {
  const kept = new Map<string, Said>()
  let calls = 0
  let notes = 0

  return (heard: Heard): Said => {
    const { method, path, token, body, key } = heard
    if (token === undefined && keeps('needs a token')) return unauthorized('Send a token.')
    const scopes = token === undefined ? everything : scopesOf(token)
    if (!scopes && keeps('needs a good token')) return unauthorized('The token is not good.')
    if (method !== 'POST' && keeps('takes POST only')) return failure(405, 'Tools are called by POST.')
    if (method === 'GET') return { status: 200, body: {} }
    if (token === 'good-token') calls += 1
    if (calls > mostCalls && keeps('limits calls')) {
      return { ...failure(429, 'Too many calls. Wait 30 seconds.'), headers: { 'Retry-After': '30' } }
    }
    const tool = tools.find(({ name }) => path === `/api/tools/${name}`)
    if (!tool) return keeps('knows its tools') ? failure(404, 'There is no such tool.') : { status: 200, body: {} }
    if (scopes && !scopes.includes(tool.scope) && keeps('checks permissions')) {
      return failure(403, `This needs the scope ${tool.scope}.`)
    }
    const input = parse(body)
    const isRead = typeof input === 'object' && input !== null && !Array.isArray(input)
    if (!isRead) return keeps('checks bodies') ? failure(400, 'Send a JSON object.') : { status: 200, body: {} }
    const [problem] = argumentProblems(tool.input_schema, input)
    if (problem && keeps('checks arguments')) return failure(400, `${problem.path} ${problem.message}`)
    const before = keeps('keeps answers by key') ? kept.get(key) : undefined
    if (before) return before
    const said = { status: 200, body: tool.effect === 'read' ? { id: 1, text: 'Buy milk' } : { id: (notes += 1) } }
    kept.set(key, said)
    return said
  }
}

const everything = ['read', 'write']
const bearerScopes = (token: string): string[] | undefined =>
  ({ 'good-token': everything, 'limited-token': ['read'] })[token]

const failure = (status: number, error: string): Said => ({ status, body: { error } })
const unauthorized = (error: string): Said => ({ ...failure(401, error), headers: { 'WWW-Authenticate': 'Bearer' } })

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
