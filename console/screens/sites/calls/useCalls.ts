import { useInfiniteQuery } from '@tanstack/react-query'
import { client } from '../../../api/client.ts'

/** The direct calls of a connection, newest first. */
export function useCalls(entryId: string) {
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['get', '/vault/{entryId}/calls', 'list', entryId],
    initialPageParam: undefined as string | undefined,
    async queryFn({ pageParam: cursor, signal }) {
      const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) }
      const params = { path: { entryId }, query }
      const page = await client.GET('/vault/{entryId}/calls', { params, signal })
      if (page.data === undefined) throw page.error
      return page.data
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  return {
    calls: data?.pages.flatMap(({ items }) => items),
    error,
    ...(hasNextPage && { more: () => void fetchNextPage() }),
    retry: () => void refetch(),
  }
}
