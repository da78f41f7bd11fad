import { Link } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import type { Api } from '../../../api/client.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { Json } from '../../../parts/Json.tsx'
import { Badge } from '../../../parts/Status.tsx'
import { callState, outcomeInWords } from './call-words.ts'
import styles from './Calls.module.css'
import type { Calling } from './useCall.ts'

interface OutcomeProps {
  calling: Calling
  entryId: string
  owner: string
}

/** What came of a call. It is read out when it arrives. */
export const Outcome = ({ calling: { data, error, isPending }, entryId, owner }: OutcomeProps) => (
  <section aria-live="polite" aria-busy={isPending} className={styles.outcome}>
    {data && (
      <>
        <p className={styles.line}>
          <Badge tone="good">{callState.succeeded.word}</Badge>
          <Link {...to.call(owner, entryId, data.callId)}>Record of the call</Link>
        </p>
        <Json value={data.result} name="result" />
      </>
    )}
    {error !== null && <Failure error={error} entryId={entryId} owner={owner} />}
  </section>
)

const Failure = ({ error, entryId, owner }: { error: unknown; entryId: string; owner: string }) => {
  const { callId, outcome } = error as Partial<Api['Error']>
  return (
    <>
      {outcome !== undefined && (
        <p className={styles.line}>
          <Badge tone={callState[outcome].tone}>{callState[outcome].word}</Badge>
          <span>{outcomeInWords[outcome]}</span>
        </p>
      )}
      <ErrorBox error={error} />
      {callId !== undefined && (
        <p>
          <Link {...to.call(owner, entryId, callId)}>
            {outcome === 'unknown' ? 'What this means, and what to do' : 'Record of the call'}
          </Link>
        </p>
      )}
    </>
  )
}
