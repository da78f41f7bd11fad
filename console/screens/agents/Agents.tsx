import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { RowSkeleton } from '../../parts/RowSkeleton.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Badge } from '../../parts/Status.tsx'
import { Ago } from '../../parts/When.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { stateOf, stateTones, triggerInWords } from './agent-words.ts'
import styles from './Agents.module.css'

/** The agents of an owner, with what each does now. */
export const Page = () => {
  const owner = useOwner()
  return (
    <Frame
      title="Agents"
      place={owner.name}
      actions={owner.may('build') && <Link {...to.createAgent(owner.address)}>New agent</Link>}
    >
      <List key={owner.address} owner={owner} />
    </Frame>
  )
}

const useAgents = (owner: Owner) =>
  useInfiniteQuery({
    queryKey: ['agent-list', owner.query],
    refetchInterval: 10_000,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Api['AgentSummaryPage']) => nextCursor ?? undefined,
    async queryFn({ pageParam, signal }) {
      const query = { ...owner.query, limit: 100, ...(pageParam === undefined ? {} : { cursor: pageParam }) }
      const { data, error } = await client.GET('/agents', { params: { query }, signal })
      if (data) return data
      throw error
    },
  })

const List = ({ owner }: { owner: Owner }) => {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAgents(owner)
  if (!data)
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <RowSkeleton height={48} rows={6} />
  const agents = data.pages.flatMap(({ items }) => items)
  if (agents.length === 0) return <NoAgents owner={owner} />
  return (
    <>
      <ul className={styles.list}>
        {agents.map((agent) => (
          <Row key={agent.id} agent={agent} owner={owner} />
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show more agents
        </Button>
      )}
    </>
  )
}

const Row = ({ agent, owner }: { agent: Api['AgentSummary']; owner: Owner }) => {
  const state = stateOf(agent)
  return (
    <li>
      <Link {...to.agent(owner.address, agent.id)} className={styles.row}>
        <span>
          <Badge tone={stateTones[state]}>{state}</Badge>
        </span>
        <span className={`${styles.name} stranger`}>{shownText(agent.name)}</span>
        <span className={styles.quiet}>{triggerInWords(agent.trigger)}</span>
        <span className={styles.quiet}>
          {agent.lastRun === null ? 'Has not run yet' : <LastRun run={agent.lastRun} />}
        </span>
      </Link>
    </li>
  )
}

const LastRun = ({ run: { status, acceptedAt } }: { run: Api['LastRun'] }) => (
  <>
    Last run {status}, <Ago at={acceptedAt} />
  </>
)

const NoAgents = ({ owner }: { owner: Owner }) => (
  <Empty title="No agents yet">
    <p>An agent is a prompt, a trigger, and the tools that it may use. Its runs appear here.</p>
    {owner.may('build') && (
      <p>
        <Link {...to.start(owner.address)}>Start from a template</Link>, or{' '}
        <Link {...to.createAgent(owner.address)}>create an agent</Link>.
      </p>
    )}
  </Empty>
)
