import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { memo, useDeferredValue } from 'react'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { agentsQuery } from '../../lists/agents.ts'
import type { RunFilters } from '../../lists/run-filters.ts'
import { Page as Frame } from '../../parts/Page.tsx'
import { useOwner } from '../../session/workspace.ts'
import { Failures } from './failures/Failures.tsx'
import { Filters } from './list/Filters.tsx'
import { RunList } from './list/RunList.tsx'

const route = getRouteApi('/signed-in/w/$owner/runs')

/** The runs of all agents, newest first, or their failures by cause. The address has the filters. */
export const Page = () => {
  const owner = useOwner()
  const filters = route.useSearch()
  // The choice itself is shown at once, and the rows are drawn while the page keeps answering.
  const listed = useDeferredValue(filters)
  const navigate = useNavigate()
  const { data: agents = noAgents, isPending } = useQuery(agentsQuery(owner.query))
  const show = (next: RunFilters) => void navigate({ ...to.runs(owner.address, next), resetScroll: true })
  return (
    <Frame title="Runs" place={owner.name}>
      <Filters filters={filters} agents={agents} onChange={show} />
      {filters.grouped ? (
        <Failures owner={owner} filters={filters} agents={agents} />
      ) : (
        // Other filters are another list: nothing is chosen in it.
        <Listed
          key={JSON.stringify([owner.address, listed])}
          owner={owner}
          filters={listed}
          agents={isPending ? undefined : agents}
        />
      )}
    </Frame>
  )
}

const Listed = memo(RunList)

const noAgents: ReadonlyMap<string, Api['AgentSummary']> = new Map()
