import type { Scope } from '../users/caller.ts'

/**
 * What an app may do. `read`: see tools, agents and runs · `run`: call tools and start runs · `decide`: show a person the
 * approvals of its runs as forms, and pass on what the person decides.
 */
export const appScopes = ['read', 'run', 'decide'] as const
export type AppScope = (typeof appScopes)[number]

/** What a client gets that names no scope. Nobody gets `decide` without a request for it and a tick. */
export const usualScopes: readonly AppScope[] = ['read', 'run']

/** The known scopes in a list of a client, in our order. */
export const knownScopes = (text: string): AppScope[] => {
  const words = new Set(text.split(' '))
  return appScopes.filter((scope) => words.has(scope))
}

/** The same permission among those of API keys. */
export const asKeyScope: Readonly<Record<AppScope, Scope>> = { read: 'read', run: 'write', decide: 'decide' }
