import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { numberInWords } from '../../parts/format.ts'
import { startedBy } from '../../parts/run-words.ts'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Status } from '../../parts/Status.tsx'
import { Ago, When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import { triggerInWords, usageInWords } from './agent-words.ts'
import styles from './Agents.module.css'
import { Sites } from './Sites.tsx'
import { useAgent } from './useAgent.ts'

/** What an agent is told, what it may touch, and what it did last. */
export const Page = () => {
  const agent = useAgent()
  return (
    <>
      <Facts agent={agent} />
      <LatestRuns agentId={agent.id} />
      <section className={styles.section} aria-labelledby="prompt">
        <h2 id="prompt">Prompt</h2>
        <p className={`${styles.prompt} stranger`}>{shownText(agent.systemPrompt)}</p>
      </section>
      <Sites sites={agent.sites} />
    </>
  )
}

const Facts = ({ agent }: { agent: Api['Agent'] }) => (
  <dl className={styles.facts}>
    <Fact name="Trigger">{triggerInWords(agent.trigger)}</Fact>
    {agent.nextFireAt !== null && (
      <Fact name="Next scheduled time">
        <When at={agent.nextFireAt} />
      </Fact>
    )}
    {agent.silentSince !== null && (
      <Fact name="Usual deliveries do not come since">
        <When at={agent.silentSince} />
      </Fact>
    )}
    <Fact name="Model">{agent.model ?? 'The default model'}</Fact>
    {agent.fallbackModel !== null && <Fact name="Fallback model">{agent.fallbackModel}</Fact>}
    <Fact name="Credits this month">{usageInWords(agent.usage, numberInWords)}</Fact>
    <Fact name="Changed">
      <When at={agent.updatedAt} />
    </Fact>
  </dl>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd className="stranger">{children}</dd>
  </div>
)

const LatestRuns = ({ agentId }: { agentId: string }) => {
  const owner = useOwner()
  const params = { path: { agentId }, query: { limit: 5 } }
  const every = { refetchInterval: 5000 }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/agents/{agentId}/runs', { params }, every))
  return (
    <section className={styles.section} aria-labelledby="latest">
      <header className={styles.heading}>
        <h2 id="latest">Latest runs</h2>
        <Link {...to.runs(owner.address, { agentId })}>All runs</Link>
      </header>
      {!data &&
        (error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} height={48} />)}
      {data?.items.length === 0 && <p className={styles.quiet}>This agent has not run yet.</p>}
      {data && data.items.length > 0 && (
        <ul className={styles.list}>
          {data.items.map((run) => (
            <li key={run.id}>
              <Link {...to.run(owner.address, run.id)} className={styles.row}>
                <span>
                  <Status status={run.status} />
                </span>
                <span>#{run.sequence}</span>
                <span className={styles.quiet}>{startedBy(run)}</span>
                <span className={styles.quiet}>
                  <Ago at={run.acceptedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
