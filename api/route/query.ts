import { withCanonicalIds } from './canonical-ids.ts'

/** What clients add to an address so that nothing on the way answers from a cache (jQuery's name for it). */
const cacheBuster = '_'

/** What a route is asked with, with canonical identifiers. */
export const knownIn = (parameters: Record<string, string | string[]>): object =>
  withCanonicalIds(Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== cacheBuster)))

/**
 * The parameters of a query by their names; a list of those that are sent several times. One pass: Koa's own reader looks
 * for each name among all.
 */
export function parametersIn(query: string): Record<string, string | string[]> {
  const found = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(query)) {
    const known = found[name]
    if (known === undefined) found[name] = value
    else if (Array.isArray(known)) known.push(value)
    else found[name] = [known, value]
  }
  return found
}
