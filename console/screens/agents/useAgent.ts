import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, type Api } from '../../api/client.ts'

const route = getRouteApi('/signed-in/w/$owner/agents/$agentId')

export const agentQuery = (agentId: string) =>
  api.queryOptions('get', '/agents/{agentId}', { params: { path: { agentId } } }, { refetchInterval: 10_000 })

export const useAgentId = (): string => route.useParams().agentId

/** The agent named by the address. Only inside its tabs, which are shown once it is read. */
export const useAgent = (): Api['Agent'] => useSuspenseQuery(agentQuery(useAgentId())).data
