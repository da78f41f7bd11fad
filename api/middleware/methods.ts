import type { Middleware } from 'koa'
import { CodedError } from '../../src/errors.ts'
import type { FindPath } from '../route/known-path.ts'

/** Answers undeclared methods with METHOD_NOT_ALLOWED, and answers OPTIONS (RFC 9110, 9.3.7), both with `Allow`. */
export const methods =
  (find: FindPath): Middleware =>
  async (ctx, next) => {
    const known = find(ctx.path)
    if (!known || known.methods.includes(ctx.method)) return next()
    const allowed = [...known.methods, 'OPTIONS'].join(', ')
    ctx.set('Allow', allowed)
    if (ctx.method === 'OPTIONS') return void (ctx.status = 204)
    // The method is not repeated, because it may be any text.
    const message = `This path does not support this method. It supports ${allowed}.`
    throw new CodedError('METHOD_NOT_ALLOWED', { message })
  }
