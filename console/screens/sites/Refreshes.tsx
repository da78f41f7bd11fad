import { useQuery } from '@tanstack/react-query'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Badge } from '../../parts/Status.tsx'
import { When } from '../../parts/When.tsx'
import { refreshInWords, refreshState } from './refresh-words.ts'
import styles from './Site.module.css'

/** How the login was refreshed, the latest first. */
export const Refreshes = ({ entryId }: { entryId: string }) => {
  const params = { path: { entryId }, query: { limit: 20 } }
  const { data, error, refetch } = useQuery(
    api.queryOptions('get', '/vault/{entryId}/refreshes', { params }, { refetchInterval: 15_000 }),
  )
  return (
    <section className={styles.section} aria-labelledby="refreshes">
      <h2 id="refreshes">Refreshes of the login</h2>
      {data ? (
        <ul className={styles.list}>
          {data.items.map((refresh) => (
            <RefreshRow key={refresh.id} refresh={refresh} />
          ))}
          {data.items.length === 0 && (
            <li className={styles.none}>
              There were none yet. The access token is refreshed shortly before it expires.
            </li>
          )}
        </ul>
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={3} height={36} />
      )}
    </section>
  )
}

const RefreshRow = ({ refresh }: { refresh: Api['Refresh'] }) => {
  const { word, tone } = refreshState(refresh.outcome)
  return (
    <li className={styles.refresh}>
      <span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      <span className="stranger">{shownText(refreshInWords(refresh).join(' '))}</span>
      <span className={styles.quiet}>
        <When at={refresh.startedAt} />
      </span>
    </li>
  )
}
