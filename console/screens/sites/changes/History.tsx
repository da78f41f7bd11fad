import { useState } from 'react'
import type { Api } from '../../../api/client.ts'
import { countInWords } from '../../../parts/format.ts'
import { Badge } from '../../../parts/Status.tsx'
import { When } from '../../../parts/When.tsx'
import styles from './Changes.module.css'
import { Differences } from './Differences.tsx'
import { classWords, statusWords } from './differences.ts'

/** The changes that were decided, the latest first. */
export const History = ({
  changes,
  names,
}: {
  changes: readonly Api['ManifestChange'][]
  names: readonly string[]
}) => (
  <section className={styles.history} aria-labelledby="history">
    <h2 id="history">Earlier changes</h2>
    <ul className={styles.list}>
      {changes.map((change) => (
        <li key={change.id}>
          <Earlier change={change} names={names} />
        </li>
      ))}
      {changes.length === 0 && <li className={styles.none}>The site has not changed since it was connected.</li>}
    </ul>
  </section>
)

const Earlier = ({ change, names }: { change: Api['ManifestChange']; names: readonly string[] }) => {
  const [isOpen, setOpen] = useState(false)
  const { word, tone } = statusWords[change.status]
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles.row}>
        <span>
          <Badge tone={tone}>{word}</Badge>
        </span>
        <span>
          {countInWords(change.differences.length, 'difference')}{' '}
          <span className={styles.quiet}>{classWords[change.class].word}</span>
        </span>
        <span className={styles.quiet}>
          <When at={change.foundAt} />
        </span>
      </summary>
      {isOpen && <Differences differences={change.differences} names={names} />}
    </details>
  )
}
