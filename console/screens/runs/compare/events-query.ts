import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client, type Api } from '../../../api/client.ts'

/** The most events of a run that are compared. */
export const mostEvents = 2000
const perPage = 1000
const againMs = 5000

export interface Events {
  items: Api['RunEvent'][]
  isCut: boolean
}

/** The first events of a run. While it has not ended, later ones are added. */
export const eventsQuery = (runId: string, hasEnded: boolean) =>
  queryOptions({
    // Read once more when the run has ended, so that its last events are there.
    queryKey: ['compared-events', runId, hasEnded],
    placeholderData: keepPreviousData,
    refetchInterval: hasEnded ? false : againMs,
    async queryFn({ client: queries, queryKey, signal }): Promise<Events> {
      const items = [...(queries.getQueryData<Events>(queryKey)?.items ?? [])]
      let more = true
      while (more && items.length < mostEvents) {
        const limit = Math.min(perPage, mostEvents - items.length)
        const query = { after: items.at(-1)?.number ?? 0, limit }
        const params = { path: { runId }, query }
        const { data, error } = await client.GET('/runs/{runId}/events', { params, signal })
        if (!data || !('items' in data)) throw error
        items.push(...data.items)
        more = data.more
      }
      return { items, isCut: more }
    },
  })
