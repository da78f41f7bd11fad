import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { agentsQuery } from '../../lists/agents.ts'
import { hasEnded } from '../../lists/run-list.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { useOwner } from '../../session/workspace.ts'
import { Bodies } from './compare/Bodies.tsx'
import { Facts } from './compare/Facts.tsx'
import { Heads } from './compare/Heads.tsx'

const route = getRouteApi('/signed-in/w/$owner/runs/$runId/beside/$otherId')

/** Two runs beside each other, such as a run and its replay, with what differs. */
export const Page = () => {
  const owner = useOwner()
  const { runId, otherId } = route.useParams()
  const { data: agents } = useQuery(agentsQuery(owner.query))
  const [one, other] = [useQuery(runQuery(runId)), useQuery(runQuery(otherId))]
  const error = one.error ?? other.error
  if (error && problemOf(error).code === 'RUN_NOT_FOUND') throw notFound()
  const retry = () => void Promise.all([one.refetch(), other.refetch()])
  const nameOf = (agentId: string) => agents?.get(agentId)?.name ?? 'Deleted agent'
  return (
    <Frame title="Two runs" place={owner.name} above={<Link {...to.runs(owner.address)}>Runs</Link>}>
      {one.data && other.data ? (
        <>
          <Heads one={one.data} other={other.data} nameOf={nameOf} owner={owner.address} />
          <Facts one={one.data} other={other.data} />
          <Bodies one={one.data} other={other.data} />
        </>
      ) : error ? (
        <ErrorBox error={error} onRetry={retry} />
      ) : (
        <Skeleton lines={12} height={24} />
      )}
    </Frame>
  )
}

const runQuery = (runId: string) => ({
  ...api.queryOptions('get', '/runs/{runId}', { params: { path: { runId } } }),
  refetchInterval: ({ state }: { state: { data: Parameters<typeof hasEnded>[0] | undefined } }) =>
    state.data && hasEnded(state.data) ? (false as const) : 3000,
})
