import { QueryCache, QueryClient } from '@tanstack/react-query'
import { connection } from '../session/connection.ts'
import { isPassing, problemOf } from './problem.ts'

/** Lists and pages are read again when somebody returns to the tab, and while they are open (`refetchInterval`). */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      // Somebody who was removed from a workspace, or whose workspace was deleted, must not go on seeing it.
      if (problemOf(error).code === 'WORKSPACE_NOT_FOUND') void queries.invalidateQueries({ queryKey: ['workspaces'] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2000,
      retry: (failures, error) => isPassing(error) && failures < 4,
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5000),
      // The API on loopback answers also without a network.
      networkMode: 'always',
      refetchInterval: ({ state }) => (state.status === 'error' && connection.get() === 'away' ? 3000 : false),
    },
    mutations: { networkMode: 'always' },
  },
})
