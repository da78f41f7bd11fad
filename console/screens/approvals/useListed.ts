import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, type Api } from '../../api/client.ts'
import type { Owner } from '../../session/workspace.ts'
import { mayHaveMore, pageSize, type InboxSearch } from './inbox.ts'

export interface Listed {
  /** undefined until they have been read. */
  approvals: Api['Approval'][] | undefined
  error: unknown
  /** Absent if there are no more. */
  more?: () => void
  isReadingMore: boolean
  retry: () => void
  /** Leaves one out that was just decided, before the list is read again. */
  hide: (id: string) => void
}

/** The approvals that wait, oldest first, or the others, newest first. Read again while they are shown. */
export function useListed({ query: owner }: Owner, show: InboxSearch['show']): Listed {
  const isPending = show === undefined
  const [hidden, setHidden] = useState<readonly string[]>([])
  const filter = isPending ? ({ status: 'pending', order: 'arrival' } as const) : {}
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    queryKey: ['get', '/approvals', 'inbox', owner, show],
    initialPageParam: undefined as string | undefined,
    refetchInterval: isPending ? 5000 : 15_000,
    async queryFn({ pageParam: cursor, signal }) {
      const query = { ...owner, ...filter, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }
      const page = await client.GET('/approvals', { params: { query }, signal })
      if (page.data === undefined) throw page.error
      return page.data
    },
    getNextPageParam: ({ items, nextCursor }) => (isPending && !mayHaveMore(items) ? undefined : nextCursor),
  })
  const found = data?.pages.flatMap(({ items }) => items)
  return {
    approvals: found?.filter(({ id, status }) => (status === 'pending') === isPending && !hidden.includes(id)),
    hide: (id) => setHidden([...hidden, id]),
    error,
    ...(hasNextPage && { more: () => void fetchNextPage() }),
    isReadingMore: isFetchingNextPage,
    retry: () => void refetch(),
  }
}

/** The names of the owner's newest hundred agents, by their ids. */
export function useAgentNames({ query }: Owner): ReadonlyMap<string, string> {
  const params = { query: { ...query, limit: 100 } }
  const { data } = useQuery(api.queryOptions('get', '/agents', { params }, { staleTime: 60_000 }))
  return new Map(data?.items.map(({ id, name }) => [id, name]))
}
