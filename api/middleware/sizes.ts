import type { Middleware } from 'koa'
import { CodedError } from '../../src/errors.ts'

/**
 * The longest query, in characters, and the most parameters. Sites and sign-in providers send codes and errors of any
 * length in theirs. A query is parsed in one pass.
 */
export const maxQuery = 12_288
export const maxParameters = 50

/** These headers are split and compared, which may take quadratic time. */
const split = ['accept', 'accept-encoding', 'content-encoding', 'content-type', 'if-none-match'] as const
const maxSplit = 1024

const sentences = {
  query: `The query exceeds the limit of ${maxQuery} characters. Send long values in the request body where possible.`,
  parameters: `The query exceeds the limit of ${maxParameters} parameters. Send only parameters that the operation supports.`,
}

/** Refuses queries and headers that are too long with VALIDATION_ERROR, before anything parses them. */
export const sizes: Middleware = (ctx, next) => {
  const { querystring, headers } = ctx
  const excess = querystring.length > maxQuery ? 'query' : hasMany(querystring) ? 'parameters' : undefined
  if (excess) throw new CodedError('VALIDATION_ERROR', { message: sentences[excess] })
  const name = split.find((each) => (headers[each]?.length ?? 0) > maxSplit)
  if (name !== undefined) {
    const message = `The ${name} header exceeds the limit of ${maxSplit} characters.`
    throw new CodedError('VALIDATION_ERROR', { message, details: [{ path: name, message }] })
  }
  return next()
}

const hasMany = (query: string): boolean => query.split('&', maxParameters + 1).length > maxParameters
