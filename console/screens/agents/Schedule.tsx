import { useQuery } from '@tanstack/react-query'
import { api, type Api } from '../../api/client.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Ago } from '../../parts/When.tsx'
import agents from './Agents.module.css'
import { Fires } from './Fires.tsx'
import styles from './Schedule.module.css'
import { useAgent } from './useAgent.ts'

/** When an agent runs next, and what came of the scheduled times before. */
export const Page = () => {
  const agent = useAgent()
  if (agent.cron === null)
    return (
      <Empty title="This agent has no schedule">
        <p>Choose the trigger “Runs on a schedule” in its settings, and this page shows when it runs.</p>
      </Empty>
    )
  return (
    <>
      <Next agentId={agent.id} />
      <Fires agentId={agent.id} />
    </>
  )
}

const Next = ({ agentId }: { agentId: string }) => {
  const params = { path: { agentId } }
  const every = { refetchInterval: 10_000 }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/agents/{agentId}/schedule', { params }, every))
  if (!data) return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={12} />
  return (
    <section className={agents.section} aria-labelledby="next">
      <h2 id="next">{shownText(data.description)}</h2>
      <p className={agents.quiet}>
        <code>{data.cron}</code> · {data.timeZone}
        {!data.inStep && ' · The scheduler takes this schedule over in a few seconds.'}
      </p>
      {data.paused && <p className={styles.warning}>The agent is paused, so its scheduled times are skipped.</p>}
      {data.warnings.map(({ code, message }) => (
        <p key={`${code} ${message}`} className={`${styles.warning} stranger`}>
          {shownText(message)}
        </p>
      ))}
      <ol className={agents.list} aria-label="Next scheduled times">
        {data.next.map((fire) => (
          <NextRow key={fire.at} fire={fire} />
        ))}
      </ol>
    </section>
  )
}

const NextRow = ({ fire: { at, local } }: { fire: Api['NextFire'] }) => (
  <li className={styles.next}>
    <span>{local}</span>
    <span className={agents.quiet}>
      <Ago at={at} />
    </span>
  </li>
)
