import { Validator } from '@cfworker/json-schema'
import type { Context, Next } from 'koa'
import type { AccessToken, Provider } from 'oidc-provider'
import type { KeptAnswers } from '../issue-tracker/kept-answers.ts'
import { SiteError } from '../issue-tracker/site-error.ts'
import type { LoggedRequest } from '../request-log.ts'
import type { Tool } from './tools.ts'
import { findUser, type User } from './users.ts'

export interface ToolCallParts {
  provider: Provider
  tools: Tool[]
  keptAnswers: KeptAnswers
}

/** The known facts about a call. */
interface CallState {
  entry: LoggedRequest
  user: User
  tool: Tool
}

/**
 * POST /api/tools/{tool}: the steps of a site (docs/specification.md, "Tool call"), in this order: validate the token,
 * identify the user, check the permission, parse the input, execute, return JSON. The body is read between `admit` and
 * `run`, so that nobody without a valid token can make the site read a body.
 */
export function createToolCall({ provider, tools, keptAnswers }: ToolCallParts) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    admit: async (ctx: Context, next: Next): Promise<void> => {
      const { token, user } = await authenticate(ctx, provider)
      const { entry } = ctx.state as CallState
      entry.user = user.name
      const tool = byName.get(entry.tool)
      if (!tool) throw new SiteError(404, `There is no tool ${entry.tool}.`)
      checkScope(tool, token, user)
      Object.assign(ctx.state, { user, tool })
      await next()
    },
    run: (ctx: Context): void => {
      const { tool, user } = ctx.state as CallState
      ctx.body = execute(ctx, tool, parseInput(ctx, tool), user, keptAnswers)
    },
  }
}

/** Responses follow RFC 6750: no error code without a token, `invalid_token` with an invalid one. */
async function authenticate(ctx: Context, provider: Provider): Promise<{ token: AccessToken; user: User }> {
  const sent = /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1]
  if (sent === undefined) {
    throw new SiteError(401, 'Send "Authorization: Bearer <token>".', { 'WWW-Authenticate': 'Bearer' })
  }
  const token = await provider.AccessToken.find(sent)
  // A token is invalid without its grant, even if it was issued while the grant was being revoked.
  const grant = token?.grantId === undefined ? undefined : await provider.Grant.find(token.grantId)
  const user = findUser(token?.accountId ?? '')
  if (token && grant && user) return { token, user }
  throw new SiteError(401, 'The access token is unknown, expired or revoked.', {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  })
}

/** The token must have the scope, and its user must still have the permission. */
function checkScope({ name, scope }: Tool, token: AccessToken, user: User): void {
  if (token.scopes.has(scope) && user.may.includes(scope)) return
  throw new SiteError(403, `${name} needs the permission "${scope}", which ${user.name} has not given.`, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  })
}

function parseInput(ctx: Context, tool: Tool): Record<string, unknown> {
  const input: unknown = ctx.request.body
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new SiteError(400, 'The body must be a JSON object, sent as application/json.')
  }
  const { valid, errors } = new Validator(tool.input_schema, '2020-12').validate(input)
  if (valid) return input as Record<string, unknown>
  // The last error is the most precise; earlier ones only say that something inside them is wrong.
  const mostPrecise = errors.at(-1)
  throw new SiteError(
    400,
    `The input does not fit ${tool.name}: ${mostPrecise?.instanceLocation} ${mostPrecise?.error}`,
  )
}

function execute(ctx: Context, tool: Tool, input: Record<string, unknown>, user: User, keptAnswers: KeptAnswers) {
  const key = ctx.get('Idempotency-Key')
  if (key.length > 255) throw new SiteError(400, 'An Idempotency-Key has at most 255 characters.')
  if (key === '' || tool.effect === 'read') return tool.run(input, user)
  // Keys belong to one user and one tool, so that nobody can get another user's response.
  return keptAnswers.once(JSON.stringify([user.name, tool.name, key]), input, () => tool.run(input, user))
}
