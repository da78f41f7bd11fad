import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { api, type Api } from '../../../api/client.ts'
import { failuresQuery, pathOf, type RunFilters } from '../../../lists/run-filters.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { Empty } from '../../../parts/Empty.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { RowSkeleton } from '../../../parts/RowSkeleton.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { Failure } from './Failure.tsx'
import styles from './Failures.module.css'

interface FailuresProps {
  owner: Owner
  filters: RunFilters
  agents: ReadonlyMap<string, Api['AgentSummary']>
}

/** Failed runs by agent and reason, the latest failure first. */
export const Failures = ({ owner, filters, agents }: FailuresProps) => {
  const query = failuresQuery(filters, owner.query)
  const failures = useQuery(
    api.queryOptions('get', '/runs/failures', { params: { query } }, { refetchInterval: 10_000 }),
  )
  const { data, error, refetch } = failures
  if (!data)
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <RowSkeleton height={88} rows={4} />
  const isWeek = filters.since === undefined
  if (data.items.length === 0) return <NoFailures owner={owner} isWeek={isWeek} />
  const runs = data.items.reduce((sum, { count }) => sum + count, 0)
  return (
    <section aria-label="Failures by cause">
      <div className={styles.bar}>
        <span className={styles.sum}>
          {countInWords(runs, 'failed run')}, {countInWords(data.items.length, 'cause')}
        </span>
        {isWeek && <span>in the last 7 days</span>}
        <Curl action={{ method: 'GET', path: pathOf('/runs/failures', query) }} />
      </div>
      <ul className={styles.groups}>
        {data.items.map((group) => (
          <Failure
            key={`${group.agentId} ${group.reason}`}
            group={group}
            owner={owner}
            filters={filters}
            isWebhook={agents.get(group.agentId)?.trigger === 'webhook'}
          />
        ))}
      </ul>
      {!data.isComplete && (
        <p className={styles.cut}>
          There are more failures than are counted here. Choose one agent or a shorter period.
        </p>
      )}
    </section>
  )
}

const NoFailures = ({ owner, isWeek }: { owner: Owner; isWeek: boolean }) => (
  <Empty title="No run failed">
    <p>
      {isWeek ? 'No run failed in the last 7 days.' : 'No run of this selection failed in this period.'} Failures with
      the same agent and reason appear here as one row.
    </p>
    <Link {...to.runs(owner.address)}>Show all runs</Link>
  </Empty>
)
