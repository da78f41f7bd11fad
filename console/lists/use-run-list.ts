import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { isPassing } from '../api/problem.ts'
import type { Owner } from '../session/workspace.ts'
import { readAgain, type Reading, type View } from './read-again.ts'
import { runsQuery, type RunFilters } from './run-filters.ts'
import { withArrived, withOlder, type RunList } from './run-list.ts'

const againMs = 4000
export const perPage = 100

/** The key of all lists of runs, to read them again after a change. */
export const runLists = ['run-list'] as const

/**
 * The list of runs with these filters. It is one query instead of one with pages, which would read every page again:
 * only the first page and the runs in view are, every few seconds while the tab is visible.
 */
export function useRunList(owner: Owner, filters: RunFilters, view: View) {
  const queries = useQueryClient()
  const query = runsQuery(filters, owner.query)
  const queryKey = [...runLists, query]
  const kept = () => queries.getQueryData<RunList>(queryKey)
  const change = (work: (list: RunList) => RunList) =>
    queries.setQueryData<RunList>(queryKey, (list) => list && work(list))

  const list = useQuery({
    queryKey,
    // A comparison of every row with every row would be slow; the list keeps the rows that did not change itself.
    structuralSharing: false,
    refetchInterval: againMs,
    queryFn: ({ signal }) => readAgain(kept, view, readingOf(query, signal)),
  })
  const older = useMutation({
    retry: (failures, error) => isPassing(error) && failures < 4,
    retryDelay: 3000,
    async mutationFn() {
      const cursor = kept()?.next
      if (!cursor) return
      const page = await readingOf(query).page({ cursor })
      change((current) => withOlder(current, cursor, page))
    },
  })
  return { ...list, older, bringIn: () => change(withArrived) }
}

function readingOf(query: ReturnType<typeof runsQuery>, signal: AbortSignal | null = null) {
  return {
    async page(at: { since?: string; until?: string; cursor?: string }) {
      const params = { query: { ...query, ...at, limit: perPage } }
      const { data, error } = await client.GET('/runs', { params, signal })
      if (data) return data
      throw error
    },
    async one(runId: string) {
      const { data } = await client.GET('/runs/{runId}', { params: { path: { runId } }, signal })
      return data
    },
  } satisfies Reading
}
