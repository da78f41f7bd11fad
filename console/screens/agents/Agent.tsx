import { useQuery } from '@tanstack/react-query'
import { Link, notFound, Outlet } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { TemporalLinks } from '../../parts/TemporalLinks.tsx'
import { AgentWhy } from '../../parts/Why.tsx'
import { WhyAction } from '../../parts/WhyAction.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { AgentActions } from './AgentActions.tsx'
import styles from './Agents.module.css'
import { tabsOf } from './tabs.ts'
import { agentQuery, useAgentId } from './useAgent.ts'

/** The heading, the health and the tabs of an agent, around each of its pages. */
export const Page = () => {
  const agentId = useAgentId()
  return <AgentFrame key={agentId} agentId={agentId} />
}

const AgentFrame = ({ agentId }: { agentId: string }) => {
  const owner = useOwner()
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId))
  if (error && ['AGENT_NOT_FOUND', 'WORKSPACE_REQUIRED'].includes(problemOf(error).code)) throw notFound()
  if (!agent)
    return (
      <Frame title="Agent">
        {error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Frame>
    )
  return (
    <Frame
      title={shownText(agent.name)}
      place={owner.name}
      above={<Link {...to.agents(owner.address)}>Agents</Link>}
      actions={<AgentActions agent={agent} />}
    >
      <AgentWhy agentId={agentId} actionFor={(cause) => <WhyAction cause={cause} agentId={agentId} />} />
      <Tabs agent={agent} owner={owner} />
      <Outlet />
      <TemporalLinks of={agentId} kinds={agent.trigger === 'scheduled' ? ['queue', 'schedule'] : ['queue']} />
    </Frame>
  )
}

const Tabs = ({ agent, owner }: { agent: Api['Agent']; owner: Owner }) => (
  <nav className={styles.tabs} aria-label="Parts of the agent">
    <Link {...to.agent(owner.address, agent.id)} activeOptions={{ exact: true }} className={styles.tab}>
      Overview
    </Link>
    {tabsOf(agent.trigger).map(({ tab, name }) => (
      <Link key={tab} {...to.agentTab(owner.address, agent.id, tab)} className={styles.tab}>
        {name}
      </Link>
    ))}
  </nav>
)
