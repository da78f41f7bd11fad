import type { Api } from '../../../api/client.ts'
import { leftOutInWords } from '../../../lists/replays.ts'
import styles from './Failures.module.css'

/** The failed deliveries that a replay leaves out, and why. */
export const LeftOut = ({ leftOut }: { leftOut: Api['LeftOut'] }) => {
  const reasons = leftOutInWords(leftOut)
  if (reasons.length === 0) return null
  return (
    <div>
      <p>Left out:</p>
      <ul className={styles.leftOut}>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </div>
  )
}
