import type { AnyRoute } from '../../../api/route/route.ts'
import type { Failure } from '../../helpers/client.ts'
import { send, type RawAnswer } from '../raw-http.ts'
import { allowedTo, secretOf, validBodies, type Stage } from '../stage.ts'

/** What every request needs that is to be refused for something else. */
export const headersOf = (stage: Stage, { token } = stage.owner) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  ...secretOf(stage),
})

/** Sends a route's request, right in all but what the path says. */
export function sendTo(stage: Stage, route: AnyRoute, path: string): Promise<RawAnswer> {
  const valid = validBodies(stage.sites)[route.name]
  const body = valid && { body: JSON.stringify(valid) }
  const headers = headersOf(stage, allowedTo(stage, route))
  return send(stage.platform.url, { method: route.method.toUpperCase(), path, headers, ...body })
}

/** A route's path with these in the place of its parameters, as they are. */
export const fill = (path: string, values: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

/** The places that a refusal names as wrong; none if it is no VALIDATION_ERROR. */
export function pathsIn(text: string): Set<string> {
  const { code, details = [] } = JSON.parse(text) as Partial<Failure>
  return new Set(code === 'VALIDATION_ERROR' ? details.map(({ path }) => path) : [])
}
