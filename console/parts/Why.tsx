import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, type Api } from '../api/client.ts'
import { useNow } from './clock.ts'
import { inLocalTime } from './local-times.ts'
import { shownText } from './shown-text.ts'
import { isForPrograms } from './why-words.ts'
import { When } from './When.tsx'
import styles from './Why.module.css'

interface WhyProps {
  runId: string
  /** The button that does what the cause suggests, if the page has one. */
  actionFor: (cause: Api['Cause']) => ReactNode
}

/** Why a run is not running, in the API's sentences, with a button for what a person can do about it. */
export const Why = ({ runId, actionFor }: WhyProps) => {
  const { data } = useQuery(
    api.queryOptions('get', '/runs/{runId}/why', { params: { path: { runId } } }, { refetchInterval: 3000 }),
  )
  return <Region why={data} actionFor={actionFor} />
}

interface AgentWhyProps {
  agentId: string
  actionFor: WhyProps['actionFor']
}

/** The same for an agent. An agent that has nothing to do needs no explanation. */
export const AgentWhy = ({ agentId, actionFor }: AgentWhyProps) => {
  const { data } = useQuery(
    api.queryOptions('get', '/agents/{agentId}/why', { params: { path: { agentId } } }, { refetchInterval: 3000 }),
  )
  return <Region why={data} actionFor={actionFor} />
}

/** An agent without work may still be paused, or its site may have to be reconnected. */
const needsNothing = ({ state, causes }: Api['Why']): boolean =>
  state === 'idle' ? ['IDLE', 'SCHEDULE'].includes(causes[0]?.code ?? 'IDLE') : state === 'running' || state === 'ended'

const Region = ({ why, actionFor }: { why: Api['Why'] | undefined; actionFor: WhyProps['actionFor'] }) => {
  const [first] = why?.causes ?? []
  return (
    <div role="status" className={styles.region}>
      {why && first && !needsNothing(why) && <Cause cause={first} button={actionFor(first)} />}
    </div>
  )
}

const Cause = ({ cause: { message, action, since }, button }: { cause: Api['Cause']; button: ReactNode }) => {
  const now = useNow()
  return (
    <div className={styles.banner}>
      <p className={`${styles.message} stranger`}>{shownText(inLocalTime(message, now))}</p>
      {!isForPrograms(action) && <p className="stranger">{shownText(inLocalTime(action, now))}</p>}
      {since !== null && !message.includes(since.slice(0, 19)) && (
        <p className={styles.quiet}>
          Since <When at={since} />
        </p>
      )}
      {button}
      {isForPrograms(action) && (
        <details className={styles.quiet}>
          <summary>With the API</summary>
          <p className="stranger">{shownText(action)}</p>
        </details>
      )}
    </div>
  )
}
