import { Validator } from '@cfworker/json-schema'
import type { Context, Next } from 'koa'
import type { LoggedRequest } from '../request-log.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { Limits } from './limits.ts'
import { SiteError } from './site-error.ts'
import { permissions, type TokenRecord, type Tokens, type User } from './tokens.ts'
import type { Tool } from './tools.ts'

export interface ToolCallParts {
  tools: Tool[]
  tokens: Tokens
  limits: Limits
  keptAnswers: KeptAnswers
  /** Whether to refuse callers whose User-Agent does not name the platform. */
  platformOnly: boolean
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
export function createToolCall({ tools, tokens, limits, keptAnswers, platformOnly }: ToolCallParts) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    admit: async (ctx: Context, next: Next): Promise<void> => {
      // First of all, so that token guesses are limited too. Behind your own proxy this is the proxy's address: take
      // the client's address from the header that the proxy sets.
      await limits.countAddress(ctx.req.socket.remoteAddress ?? '')
      if (platformOnly) checkCaller(ctx)
      const { id, user } = authenticate(ctx, tokens)
      const { entry } = ctx.state as CallState
      entry.user = user.name
      await limits.countToken(id)
      const tool = byName.get(entry.tool)
      if (!tool) throw new SiteError(404, `There is no tool ${entry.tool}.`)
      checkPermission(tool, user)
      Object.assign(ctx.state, { user, tool })
      await next()
    },
    run: (ctx: Context): void => {
      const { tool, user } = ctx.state as CallState
      const input = parseInput(ctx, tool)
      ctx.body = execute(ctx, tool, input, user, keptAnswers)
    },
  }
}

function checkCaller(ctx: Context): void {
  if (!ctx.get('User-Agent').startsWith('Switchyard/')) {
    throw new SiteError(403, 'Only the platform may call the tools of this site.')
  }
}

/** Responses follow RFC 6750: no error code without a token, `invalid_token` with an invalid one. */
function authenticate(ctx: Context, tokens: Tokens): TokenRecord {
  const token = /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1]
  if (token === undefined) {
    throw new SiteError(401, 'Send "Authorization: Bearer <token>".', { 'WWW-Authenticate': 'Bearer' })
  }
  const record = tokens.find(token)
  if (record) return record
  throw new SiteError(401, 'The token is unknown, expired or revoked. Create a new one on the settings page.', {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  })
}

function checkPermission(tool: Tool, user: User): void {
  const allowed: readonly string[] = permissions[user.role]
  if (!allowed.includes(tool.scope)) {
    throw new SiteError(403, `${tool.name} needs the permission "${tool.scope}", which ${user.name} does not have.`)
  }
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
