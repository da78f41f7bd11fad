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

/** The owner's connections, newest first. An owner has some hundred at most. */
export function useSites({ query: owner }: Owner): Listed {
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['get', '/vault', 'sites', owner],
    initialPageParam: undefined as string | undefined,
    refetchInterval: 15_000,
    async queryFn({ pageParam: cursor, signal }) {
      const query = { ...owner, limit: 100, ...(cursor === undefined ? {} : { cursor }) }
      const page = await client.GET('/vault', { params: { query }, signal })
      if (page.data === undefined) throw page.error
      return page.data
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  return {
    sites: data?.pages.flatMap(({ items }) => items),
    error,
    ...(hasNextPage && { more: () => void fetchNextPage() }),
    retry: () => void refetch(),
  }
}
