import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { shownText } from './shown-text.ts'
import { When } from './When.tsx'
import styles from './Why.module.css'

interface WhyProps {
  runId: string
  /** The button that does what the cause suggests, if the page has one. */
  actionFor: (cause: { code: string; runId: string | null; site: string | null }) => ReactNode
}

/** Why a run is not running, in the API's sentences, with a button for what a person can do about it. */
export const Why = ({ runId, actionFor }: WhyProps) => {
  const { data } = useQuery(
    api.queryOptions('get', '/runs/{runId}/why', { params: { path: { runId } } }, { refetchInterval: 3000 }),
  )
  const [first] = data?.causes ?? []
  return (
    <div role="status" className={styles.region}>
      {data && first && data.state !== 'running' && data.state !== 'ended' && (
        <div className={styles.banner}>
          <p className={`${styles.message} stranger`}>{shownText(first.message)}</p>
          <p className="stranger">{shownText(first.action)}</p>
          {first.since !== null && (
            <p className={styles.quiet}>
              Since <When at={first.since} />
            </p>
          )}
          {actionFor(first)}
        </div>
      )}
    </div>
  )
}
