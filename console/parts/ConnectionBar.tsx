import { connection } from '../session/connection.ts'
import styles from './ConnectionBar.module.css'

/** Says that the API does not answer, among the notices, so that a dialog neither covers nor silences it. */
export const ConnectionBar = () =>
  connection.use() === 'away' ? (
    <p className={styles.bar}>
      Switchyard cannot be reached. What you see may be old. Your input is kept, and the console continues when the
      connection is back.
    </p>
  ) : null
