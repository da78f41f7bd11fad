import { useQuery } from '@tanstack/react-query'
import type { Ref } from 'react'
import { ApprovalFacts } from './ApprovalFacts.tsx'
import { approvalQuery } from './approvals.ts'
import { Question } from './AskedForm.tsx'
import { ApprovalForm, type Decider } from './ApprovalForm.tsx'
import styles from './ApprovalCard.module.css'
import { Arguments } from './Arguments.tsx'
import { ErrorBox } from './ErrorBox.tsx'
import { Skeleton } from './Skeleton.tsx'

interface ApprovalCardProps {
  approvalId: string
  onDecided?: () => void
  /** The heading takes the focus when the approval has been read. */
  takesFocus?: boolean
  /** To decide from elsewhere, such as by a key. */
  decider?: Ref<Decider>
}

/** One approval: what exactly will happen, since when and until when it waits, and the decision. */
export const ApprovalCard = ({ approvalId, onDecided, takesFocus = false, decider }: ApprovalCardProps) => {
  const { data: approval, error, refetch } = useQuery(approvalQuery(approvalId))
  if (approval === undefined)
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={10} height={24} />
  return (
    <article className={styles.card} aria-label={`Call of ${approval.tool}`}>
      <ApprovalFacts approval={approval} takesFocus={takesFocus} />
      <section className={styles.arguments}>
        <h3>{approval.form === null ? 'With exactly these arguments' : 'The call was made with these arguments'}</h3>
        <Arguments json={approval.arguments} />
      </section>
      {approval.form !== null && <Question form={approval.form} siteOrigin={approval.siteOrigin} />}
      <ApprovalForm approval={approval} {...(onDecided && { onDecided })} {...(decider && { decider })} />
    </article>
  )
}
