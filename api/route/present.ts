import * as v from 'valibot'
import { CodedError } from '../../src/errors.ts'
import type { AnyRoute } from './route.ts'

type Schema = v.GenericSchema | undefined

/** Drops undeclared members, and refuses to send a response that contradicts the declaration. */
export function present(route: AnyRoute, answer: unknown, schema: Schema = route.response as Schema): unknown {
  const result = v.safeParse(schema as v.GenericSchema, answer)
  if (result.success) return result.output
  const places = result.issues.map((issue) => `${v.getDotPath(issue) ?? '(whole)'}: ${issue.type}`).join(', ')
  throw new CodedError('INTERNAL_ERROR', { privateDetail: `${route.name} broke its response declaration at ${places}` })
}
