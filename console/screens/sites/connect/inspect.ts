import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../../api/client.ts'

export const inspections = 'inspection'

/** What a site says about itself. It is read once, because reading it asks the site. */
export const inspectionQuery = (url: string) =>
  queryOptions({
    queryKey: [inspections, url],
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    async queryFn({ signal }) {
      const { data, error } = await client.POST('/vault/inspect', { body: { url }, signal })
      if (data === undefined) throw error
      return data
    },
  })

/** Those of its tools to choose from that match. What it says about itself is kept apart, so that it stays shown. */
export const offerQuery = (url: string, { search, tag }: { search: string; tag: string }) =>
  queryOptions({
    queryKey: [inspections, url, search, tag],
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
    async queryFn({ signal }) {
      const body = { url, ...(search !== '' && { search }), ...(tag !== '' && { tag }) }
      const { data, error } = await client.POST('/vault/inspect', { body, signal })
      if (data === undefined) throw error
      return data.offered ?? { total: 0, tools: [], tags: [] }
    },
  })
