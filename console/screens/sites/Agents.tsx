import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Badge, Status } from '../../parts/Status.tsx'
import { Ago } from '../../parts/When.tsx'
import type { Owner } from '../../session/workspace.ts'
import styles from './Site.module.css'

const most = 50

/** The agents that can use the site. They wait or lose its tools when its login ends. */
export const Agents = ({ entry, owner }: { entry: Api['VaultEntry']; owner: Owner }) => {
  const query = { ...owner.query, vaultEntryId: entry.id, limit: most }
  const { data, error, refetch } = useQuery(
    api.queryOptions('get', '/agents', { params: { query } }, { refetchInterval: 15_000 }),
  )
  return (
    <section className={styles.section} aria-labelledby="agents">
      <h2 id="agents">Agents that use it</h2>
      {data ? (
        <ul className={styles.list}>
          {data.items.map((agent) => (
            <AgentRow key={agent.id} agent={agent} owner={owner.address} />
          ))}
          {data.items.length === 0 && <li className={styles.none}>No agent uses this site yet.</li>}
          {data.nextCursor !== null && <li className={styles.none}>These are the newest {most}. There are more.</li>}
        </ul>
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={3} height={36} />
      )}
    </section>
  )
}

const AgentRow = ({ agent, owner }: { agent: Api['AgentSummary']; owner: string }) => (
  <li>
    <Link {...to.runs(owner, { agentId: agent.id })} className={styles.row}>
      <span className={`stranger ${styles.name}`}>{shownText(agent.name)}</span>
      <span className={styles.quiet}>{agent.trigger}</span>
      <span>{agent.pausedAt !== null && <Badge tone="warn">paused</Badge>}</span>
      <span className={styles.last}>
        {agent.lastRun ? (
          <>
            <Status status={agent.lastRun.status} />{' '}
            <span className={styles.quiet}>
              <Ago at={agent.lastRun.acceptedAt} />
            </span>
          </>
        ) : (
          <span className={styles.quiet}>never ran</span>
        )}
      </span>
    </Link>
  </li>
)
