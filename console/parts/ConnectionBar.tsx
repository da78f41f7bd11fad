import { connection } from '../session/connection.ts'
import styles from './ConnectionBar.module.css'

/** Says that the API does not answer. The region is always there, so that screen readers read what appears in it. */
export const ConnectionBar = () => {
  const isAway = connection.use() === 'away'
  return (
    <div role="status">
      {isAway && (
        <p className={styles.bar}>
          Switchyard cannot be reached. What you see may be old. Your input is kept, and the console continues when the
          connection is back.
        </p>
      )}
    </div>
  )
}
