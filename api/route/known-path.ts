import type { Router } from '@koa/router'
import { isOfAccount } from './route-rules.ts'
import type { AnyRoute } from './route.ts'

interface KnownPath {
  /** In alphabetical order; HEAD wherever GET is. */
  methods: string[]
  /** Whether scripts of other origins may be allowed to call it. */
  isShared: boolean
}

export type FindPath = (path: string) => KnownPath | undefined

/** How the router spells a path: `/agents/{agentId}` is `/agents/:agentId`. */
export const pattern = ({ path }: Pick<AnyRoute, 'path'>): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Returns a function that looks up the path of a request. It returns undefined if no route has the path. */
export function createFindPath(router: Router, routes: readonly AnyRoute[]): FindPath {
  // Webhook senders are programs, and browsers open the pages of OAuth and never fetch them.
  const closed = new Set(routes.filter((route) => (route.proof && !isOfAccount(route)) || route.browser).map(pattern))
  return (path) => {
    const matching = router.match(path, '').path
    // `/vault/inspect` is that path only, although it also has the form of `/vault/{entryId}`.
    const literal = matching.filter((layer) => !String(layer.path).includes(':'))
    const layers = literal.length > 0 ? literal : matching
    if (layers.length === 0) return undefined
    return {
      methods: [...new Set(layers.flatMap((layer) => layer.methods))].toSorted(),
      isShared: layers.every((layer) => !closed.has(String(layer.path))),
    }
  }
}
