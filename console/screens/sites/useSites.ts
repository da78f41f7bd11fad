import { useInfiniteQuery } from '@tanstack/react-query'
import { client, type Api } from '../../api/client.ts'
import type { Owner } from '../../session/workspace.ts'

export interface Listed {
  /** undefined until they have been read. */
  sites: Api['VaultEntry'][] | undefined
  error: unknown
  /** Absent if there are no more. */
  more?: () => void
  retry: () => void
}

/** The owner's connections, newest first. They are read again less often when many pages of them are shown. */
export function useSites({ query: owner }: Owner): Listed {
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['get', '/vault', 'sites', owner],
    initialPageParam: undefined as string | undefined,
    async queryFn({ pageParam: cursor, signal }) {
      const query = { ...owner, limit: 100, ...(cursor === undefined ? {} : { cursor }) }
      const page = await client.GET('/vault', { params: { query }, signal })
      if (page.data === undefined) throw page.error
      return page.data
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? 60_000 : 15_000),
  })
  return {
    sites: data?.pages.flatMap(({ items }) => items),
    error,
    ...(hasNextPage && { more: () => void fetchNextPage() }),
    retry: () => void refetch(),
  }
}
