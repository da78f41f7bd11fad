import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { useNow } from '../../parts/clock.ts'
import { fullTime } from '../../parts/format.ts'
import { shownText } from '../../parts/shown-text.ts'
import { Badge } from '../../parts/Status.tsx'
import { Ago } from '../../parts/When.tsx'
import { agentsInWords, loginState } from './login-words.ts'
import styles from './Sites.module.css'

/** One connection. The whole row leads to its page. */
export const SiteRow = ({ entry, owner }: { entry: Api['VaultEntry']; owner: string }) => {
  const { word, tone, beside } = loginState(entry, useNow())
  return (
    <li>
      <Link {...to.site(owner, entry.id)} className={styles.row}>
        <span className={styles.site}>
          <span className={`stranger ${styles.name}`}>{shownText(entry.name)}</span>
          <span className={`stranger ${styles.quiet}`}>{entry.origin}</span>
        </span>
        <span className={styles.login}>
          <Badge tone={tone}>{word}</Badge>
          <span className={styles.quiet} {...(entry.endsAt !== null && { title: fullTime(entry.endsAt) })}>
            {beside}
          </span>
          {entry.pendingManifest && <Badge tone="warn">change to accept</Badge>}
        </span>
        <span className={styles.quiet}>
          <span className={styles.said}>renewed </span>
          <Ago at={entry.renewedAt} />
        </span>
        <span className={entry.agentCount === 0 ? styles.quiet : undefined}>
          <span className={styles.said}>used by </span>
          {agentsInWords(entry.agentCount)}
        </span>
      </Link>
    </li>
  )
}
