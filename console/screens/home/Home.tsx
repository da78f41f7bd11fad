import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { Figures, FiguresSkeleton } from './Figures.tsx'
import { Invitation } from './Invitation.tsx'
import { LatestRuns } from './LatestRuns.tsx'
import { NeedList, NeedsSkeleton } from './NeedList.tsx'

const again = { refetchInterval: 10_000 }

/** What needs the reader, what is going on, and what it costs. */
export const Page = () => {
  const owner = useOwner()
  const ofOwner = { params: { query: owner.query } }
  const firstAgent = { params: { query: { ...owner.query, limit: 1 } } }
  const agents = useQuery(api.queryOptions('get', '/agents', firstAgent, again))
  const needs = useQuery(api.queryOptions('get', '/needs', ofOwner, again))
  const problem = agents.error ?? needs.error
  return (
    <Frame
      title="Home"
      place={owner.name}
      actions={owner.may('build') && <Link {...to.start(owner.address)}>Start from a template</Link>}
    >
      {agents.data?.items.length === 0 ? (
        <Invitation owner={owner} />
      ) : agents.data && needs.data ? (
        <Overview key={owner.address} needs={needs.data} owner={owner} />
      ) : problem ? (
        <ErrorBox error={problem} onRetry={() => void Promise.all([agents.refetch(), needs.refetch()])} />
      ) : (
        <Loading />
      )}
    </Frame>
  )
}

const Overview = ({ needs, owner }: { needs: Api['Needs']; owner: Owner }) => (
  <>
    <Figures needs={needs} />
    <NeedList needs={needs.items} owner={owner} />
    <LatestRuns owner={owner} />
  </>
)

const Loading = () => (
  <>
    <FiguresSkeleton />
    <NeedsSkeleton />
  </>
)
