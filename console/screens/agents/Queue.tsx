import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { countInWords } from '../../parts/format.ts'
import { RowSkeleton } from '../../parts/RowSkeleton.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Status } from '../../parts/Status.tsx'
import { Ago } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import styles from './Agents.module.css'
import { aheadInWords, inOrder } from './queue-order.ts'
import { QueuedActions } from './QueuedActions.tsx'
import { useAgentId } from './useAgent.ts'

/** The most that the page reads of each status. */
const most = 100
const unended = ['running', 'waiting', 'queued'] as const

/** The runs that have not ended, in the order in which the agent works. */
const useQueue = (agentId: string) =>
  useQuery({
    queryKey: ['queue', agentId],
    refetchInterval: 4000,
    queryFn: ({ signal }) => Promise.all(unended.map((status) => readRuns(agentId, status, signal))),
  })

/** Oldest first, so that a long queue shows those that are next. */
async function readRuns(agentId: string, status: Api['RunStatus'], signal: AbortSignal) {
  const params = { path: { agentId }, query: { status, order: 'arrival' as const, limit: most } }
  const { data, error } = await client.GET('/agents/{agentId}/runs', { params, signal })
  if (data) return data.items
  throw error
}

export const Page = () => {
  const agentId = useAgentId()
  const { data, error, refetch } = useQueue(agentId)
  if (!data)
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <RowSkeleton height={48} rows={4} />
  const runs = inOrder(data.flat())
  if (runs.length === 0)
    return (
      <Empty title="The queue is empty">
        <p>A delivery, a scheduled time or a run that you start appears here until it ends.</p>
      </Empty>
    )
  const isCut = data.some((items) => items.length === most)
  return (
    <section className={styles.section} aria-label="Queue">
      <p className={styles.quiet}>
        {isCut ? `The first ${countInWords(runs.length, 'run')}.` : `${countInWords(runs.length, 'run')}.`} One runs at
        a time, in this order.
      </p>
      <ol className={styles.list}>
        {runs.map((run, place) => (
          <Row key={run.id} run={run} place={place} onChange={() => void refetch()} />
        ))}
      </ol>
    </section>
  )
}

const Row = ({ run, place, onChange }: { run: Api['RunSummary']; place: number; onChange: () => void }) => {
  const owner = useOwner()
  return (
    <li className={styles.queued}>
      <span>
        <Status status={run.status} />
      </span>
      <Link {...to.run(owner.address, run.id)}>#{run.sequence}</Link>
      <span className={`${styles.quiet} stranger`}>
        {run.status === 'queued' ? aheadInWords(place) : 'In progress'} · {shownText(run.triggeredBy)}
      </span>
      <span className={styles.quiet}>
        <Ago at={run.acceptedAt} />
      </span>
      {owner.may('use') && <QueuedActions run={run} onChange={onChange} />}
    </li>
  )
}
