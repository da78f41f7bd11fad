import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, client } from '../../../api/client.ts'
import type { Owner } from '../../../session/workspace.ts'
import { asSearch, entryFor } from './catalogue-words.ts'

/** The sites that the operator suggests, as far as they match a search. */
export const useCatalogue = ({ query: owner }: Owner, search: string) =>
  useInfiniteQuery({
    queryKey: ['get', '/catalogue', 'found', owner, search],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    async queryFn({ pageParam: cursor, signal }) {
      const query = { ...owner, ...(search !== '' && { search }), ...(cursor === undefined ? {} : { cursor }) }
      const { data, error } = await client.GET('/catalogue', { params: { query }, signal })
      if (data === undefined) throw error
      return data
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** What the operator says about a site that was inspected. Undefined while it is read, and if there is nothing. */
export function useCatalogueEntry({ query: owner }: Owner, site: { url: string; origin: string }) {
  const search = asSearch(site.origin)
  const { data } = useQuery(
    api.queryOptions('get', '/catalogue', { params: { query: { ...owner, search, limit: 100 } } }),
  )
  return entryFor(data?.items, site)
}
