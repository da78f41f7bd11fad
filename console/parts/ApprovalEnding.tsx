import styles from './ApprovalCard.module.css'
import { endingOf, tones } from './approval-words.ts'
import type { ShownApproval } from './approvals.ts'
import { Json } from './Json.tsx'
import { shownText } from './shown-text.ts'
import { Badge } from './Status.tsx'
import { When } from './When.tsx'

/** What came of an approval. It is read out when somebody else decides while the approval is open. */
export const ApprovalEnding = ({ approval: { status, decidedAt, note, form, input } }: { approval: ShownApproval }) => {
  if (status === 'pending') return null
  return (
    <section className={styles.ending} aria-live="polite">
      <p className={styles.decided}>
        <Badge tone={tones[status]}>{status}</Badge>
        {decidedAt !== null && (
          <span className={styles.quiet}>
            <When at={decidedAt} />
          </span>
        )}
      </p>
      <p>{endingOf({ status, form })}</p>
      {input !== null && <Json value={input} name="input" />}
      {note !== null && (
        <p>
          <span className={styles.quiet}>Note: </span>
          <span className="stranger">{shownText(note)}</span>
        </p>
      )}
    </section>
  )
}
