import { useQueries } from '@tanstack/react-query'
import type { Api } from '../../../api/client.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { fullTime } from '../../../parts/format.ts'
import { Json } from '../../../parts/Json.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import type { Bar } from './building.ts'
import { factsOf } from './facts.ts'
import styles from './Timeline.module.css'

interface BarDetailProps {
  runId: string
  readEvent: (number: number) => Promise<Api['RunEvent']>
  bar: Bar
  writing: string | undefined
}

/** What a row says when it is opened: the bodies of its first and its last event, which are read now. */
export const BarDetail = ({ runId, readEvent, bar, writing }: BarDetailProps) => {
  const numbers = [...new Set([bar.events[0], bar.events.at(-1)])].filter((number) => number !== undefined)
  const found = useQueries({
    queries: numbers.map((number) => ({
      queryKey: ['run-event', runId, number],
      queryFn: () => readEvent(number),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const error = found.find((each) => each.error)?.error
  // All at once, because what the last event says comes between what the first one does.
  const isReading = found.some(({ isPending }) => isPending)
  const events = found.flatMap(({ data }) => data ?? [])
  return (
    <div className={styles.detail}>
      {bar.detail !== '' && bar.kind !== 'step' && <p className="stranger">{shownText(bar.detail)}</p>}
      {bar.attempts
        .filter(({ message }) => message !== null)
        .map(({ from, message }) => (
          <p key={from} className="stranger">
            {fullTime(new Date(from).toISOString())}: {shownText(message ?? '')}
          </p>
        ))}
      {writing !== undefined && <p className={`${styles.answer} stranger`}>{shownText(writing)}</p>}
      {error ? <ErrorBox error={error} /> : isReading && <Skeleton lines={3} />}
      {(isReading ? [] : factsOf(events)).map(({ name, value, isBody }) => (
        <div key={name} className={styles.fact}>
          <h3>{name}</h3>
          {isBody ? (
            <Json value={value} name={name.toLowerCase()} />
          ) : (
            <p className="stranger">{shownText(String(value))}</p>
          )}
        </div>
      ))}
    </div>
  )
}
