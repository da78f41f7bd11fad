import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { Figures, FiguresSkeleton } from './Figures.tsx'
import { Invitation } from './Invitation.tsx'
import { LatestRuns } from './LatestRuns.tsx'
import { NeedList, NeedsSkeleton } from './NeedList.tsx'

/** What needs the reader, what is going on, and what it costs. */
export const Page = () => {
  const owner = useOwner()
  const params = { query: { limit: 1, ...owner.query } }
  const agents = useQuery(api.queryOptions('get', '/agents', { params }, { refetchInterval: 10_000 }))
  const hasAgents = (agents.data?.items.length ?? 1) > 0
  return (
    <Frame title="Home" place={owner.name}>
      {hasAgents ? <Overview key={owner.address} owner={owner} /> : <Invitation owner={owner} />}
    </Frame>
  )
}

const Overview = ({ owner }: { owner: Owner }) => {
  const params = { query: owner.query }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/needs', { params }, { refetchInterval: 10_000 }))
  return (
    <>
      {data ? <Figures needs={data} /> : error ? null : <FiguresSkeleton />}
      {data ? (
        <NeedList needs={data.items} owner={owner} />
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <NeedsSkeleton />
      )}
      <LatestRuns owner={owner} />
    </>
  )
}
