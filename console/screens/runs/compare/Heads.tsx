import { Link } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import type { ListedRun } from '../../../lists/run-list.ts'
import { startedBy } from '../../../parts/run-words.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Status } from '../../../parts/Status.tsx'
import { When } from '../../../parts/When.tsx'
import styles from './Compare.module.css'

interface HeadsProps {
  one: ListedRun
  other: ListedRun
  nameOf: (agentId: string) => string
  owner: string
}

/** Which runs these are. */
export const Heads = ({ one, other, nameOf, owner }: HeadsProps) => (
  <div className={styles.sides}>
    {[one, other].map((run) => (
      <section key={run.id} className={styles.head} aria-label={`Run ${run.sequence}`}>
        <h2>
          <Link {...to.run(owner, run.id)}>
            <span className="stranger">{shownText(nameOf(run.agentId))}</span> #{run.sequence}
          </Link>
        </h2>
        <Status status={run.status} />
        <p className={styles.quiet}>
          {startedBy(run)}, <When at={run.acceptedAt} />
        </p>
      </section>
    ))}
  </div>
)
