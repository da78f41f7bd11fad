import { queryOptions } from '@tanstack/react-query'
import { client, type Api } from '../api/client.ts'

/** More agents than anybody chooses from. The runs of others are shown without a name. */
const mostPages = 10

/** The agents of an owner by id, in the order of their names. */
export const agentsQuery = (owner: { workspaceId?: string }) =>
  queryOptions({
    queryKey: ['agents-of', owner],
    staleTime: 30_000,
    async queryFn({ signal }): Promise<ReadonlyMap<string, Api['AgentSummary']>> {
      const agents: Api['AgentSummary'][] = []
      let cursor: string | undefined
      for (let page = 0; page < mostPages; page += 1) {
        const query = { ...owner, limit: 100, ...(cursor === undefined ? {} : { cursor }) }
        const { data, error } = await client.GET('/agents', { params: { query }, signal })
        if (!data) throw error
        agents.push(...data.items)
        if (data.nextCursor === null) break
        cursor = data.nextCursor
      }
      const byName = agents.toSorted((one, other) => one.name.localeCompare(other.name))
      return new Map(byName.map((agent) => [agent.id, agent]))
    },
  })
