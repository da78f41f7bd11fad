import { useQuery } from '@tanstack/react-query'
import type { Api } from '../../../api/client.ts'
import { hasEnded } from '../../../lists/run-list.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { numberInWords } from '../../../parts/format.ts'
import { Json } from '../../../parts/Json.tsx'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { Calls } from './Calls.tsx'
import { callsIn, pairsOfCalls } from './calls.ts'
import { eventsQuery, mostEvents } from './events-query.ts'
import { givenIn } from './inputs.ts'
import { Lines } from './Lines.tsx'
import styles from './Compare.module.css'

interface Runs {
  one: Api['Run']
  other: Api['Run']
}

/** What both runs were given, what they did with tools, and what they answered. */
export const Bodies = ({ one, other }: Runs) => {
  const [left, right] = [useQuery(eventsQuery(one.id, hasEnded(one))), useQuery(eventsQuery(other.id, hasEnded(other)))]
  const error = left.error ?? right.error
  if (!left.data || !right.data)
    return error ? (
      <ErrorBox error={error} onRetry={() => void Promise.all([left.refetch(), right.refetch()])} />
    ) : (
      <Skeleton lines={10} />
    )
  const [given, otherGiven] = [givenIn(left.data.items), givenIn(right.data.items)]
  const cut = [left.data.isCut && one, right.data.isCut && other].filter((run) => run !== false)
  return (
    <>
      <Lines title="Input" one={given.input} other={otherGiven.input} runs={[one, other]} />
      <Lines title="Prompt" one={given.prompt} other={otherGiven.prompt} runs={[one, other]} />
      <section className={styles.part}>
        <h2>Tool calls</h2>
        {cut.map(({ id, sequence }) => (
          <p key={id} className={styles.quiet}>
            Only the first {numberInWords(mostEvents)} events of #{sequence} are compared. Later tool calls are missing.
          </p>
        ))}
        <Calls pairs={pairsOfCalls(callsIn(left.data.items), callsIn(right.data.items))} runs={[one, other]} />
      </section>
      <section className={styles.part}>
        <h2>Answers</h2>
        <div className={styles.sides}>
          {[one, other].map((run) => (
            <Answer key={run.id} run={run} />
          ))}
        </div>
      </section>
    </>
  )
}

const Answer = ({ run }: { run: Api['Run'] }) => (
  <div className={styles.side}>
    <h3>#{run.sequence}</h3>
    {run.answer === null ? (
      <p className={`${styles.quiet} stranger`}>{run.error ?? 'There is no answer yet.'}</p>
    ) : (
      <Json value={run.output ?? run.answer} name={`answer-${run.sequence}`} />
    )}
  </div>
)
