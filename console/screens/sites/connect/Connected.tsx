import { useQuery } from '@tanstack/react-query'
import { Link, notFound } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { useNow } from '../../../parts/clock.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { Badge } from '../../../parts/Status.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { loginState } from '../login-words.ts'
import { byScope, missingInWords, scopeWords } from '../tool-words.ts'
import styles from './Connect.module.css'

/** What a site can do that was just connected, and where to go from here. */
export const Connected = ({ entryId, owner }: { entryId: string; owner: Owner }) => {
  const params = { path: { entryId } }
  const entry = useQuery(api.queryOptions('get', '/vault/{entryId}', { params }))
  const tools = useQuery(api.queryOptions('get', '/vault/{entryId}/tools', { params }))
  const now = useNow()
  const error = entry.error ?? tools.error
  if (error && problemOf(error).code === 'NOT_FOUND') throw notFound()
  if (error) return <ErrorBox error={error} onRetry={() => void Promise.all([entry.refetch(), tools.refetch()])} />
  if (!entry.data || !tools.data) return <Skeleton lines={5} height={36} />
  const { word, tone, beside } = loginState(entry.data, now)
  const isRejected = entry.data.status === 'needs_reauth'
  const all = tools.data.items
  const missing = missingInWords(all)
  return (
    <section className={styles.connect}>
      <h2 className="stranger">{shownText(entry.data.name)}</h2>
      <p className={styles.line}>
        <Badge tone={tone}>{word}</Badge>
        <span className={`stranger ${styles.quiet}`}>
          {entry.data.origin} · {beside}
        </span>
      </p>
      {entry.data.statusReason !== null && <p className="stranger">{shownText(entry.data.statusReason)}</p>}
      <div className={styles.section}>
        <h3>{isRejected ? 'Agents can do this there after it is reconnected' : 'Agents can now do this there'}</h3>
        <dl className={styles.can}>
          {byScope(all.filter(({ usable }) => usable)).map(({ scope, tools: usable }) => (
            <div key={scope}>
              <dt>{scopeWords[scope]}</dt>
              <dd className={styles.names}>
                {usable.map(({ name }) => (
                  <code key={name} className="stranger">
                    {shownText(name)}
                  </code>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        {missing !== undefined && <p className={styles.quiet}>{missing}</p>}
      </div>
      <p className={styles.quiet}>An agent uses the site when you choose it, or some of its tools, for that agent.</p>
      <div className={styles.buttons}>
        {!isRejected && (
          <Link {...to.start(owner.address)} className={styles.primary}>
            Start an agent
          </Link>
        )}
        <Link {...to.site(owner.address, entryId)} className={isRejected ? styles.primary : styles.secondary}>
          Open the site
        </Link>
        <Link {...to.connect(owner.address)} className={styles.secondary}>
          Connect another site
        </Link>
      </div>
    </section>
  )
}
