import { withCanonicalIds } from './canonical-ids.ts'

/** The parameter that clients add to bypass caches, under jQuery's name. */
const cacheBuster = '_'

/** The parameters for a route, with canonical ids. */
export const knownIn = (parameters: Record<string, string | string[]>): object =>
  withCanonicalIds(Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== cacheBuster)))

/**
 * The parameters of a query by name. A parameter that is sent several times becomes a list. This takes one pass, while
 * Koa's own parser searches all names for each name.
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
