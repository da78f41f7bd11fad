import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Status } from '../../parts/Status.tsx'
import { Ago } from '../../parts/When.tsx'
import type { Owner } from '../../session/workspace.ts'
import styles from './Home.module.css'

/** The five latest runs. The rows stay in place while somebody points at them or has the focus in them. */
export const LatestRuns = ({ owner }: { owner: Owner }) => {
  const [isInUse, setInUse] = useState(false)
  const params = { query: { limit: 5, ...owner.query } }
  const every = { refetchInterval: isInUse ? (false as const) : 10_000 }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/runs', { params }, every))
  return (
    <section
      className={styles.section}
      aria-labelledby="latest"
      onPointerEnter={() => setInUse(true)}
      onPointerLeave={() => setInUse(false)}
      onFocus={() => setInUse(true)}
      onBlur={() => setInUse(false)}
    >
      <header className={styles.heading}>
        <h2 id="latest">Latest runs</h2>
        <Link {...to.runs(owner.address)}>All runs</Link>
      </header>
      {data ? (
        <ul className={styles.list}>
          {data.items.map((run) => (
            <RunRow key={run.id} run={run} owner={owner} />
          ))}
          {data.items.length === 0 && <li className={styles.none}>No agent has run yet.</li>}
        </ul>
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={5} height={32} />
      )}
    </section>
  )
}

const RunRow = ({ run, owner }: { run: Api['RunSummary']; owner: Owner }) => (
  <li>
    <Link {...to.run(owner.address, run.id)} className={styles.run}>
      <span>
        <Status status={run.status} />
      </span>
      <span className={styles.name}>
        <AgentName agentId={run.agentId}>
          <span className={styles.number}>#{run.sequence}</span>
        </AgentName>
      </span>
      <span className={styles.ago}>
        <Ago at={run.acceptedAt} />
      </span>
    </Link>
  </li>
)

/** The name of an agent, and what follows it. Five agents at most, and the page of a run reads them too. */
const AgentName = ({ agentId, children }: { agentId: string; children: ReactNode }) => {
  const params = { path: { agentId } }
  const { data, isError } = useQuery(api.queryOptions('get', '/agents/{agentId}', { params }, { staleTime: 60_000 }))
  // What follows would move when the name arrives.
  if (!data && !isError) return <span>…</span>
  return (
    <>
      <span className="stranger">{data ? shownText(data.name) : 'Deleted agent'}</span>
      {children}
    </>
  )
}
