import { queryOptions } from '@tanstack/react-query'
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
