import { useNow } from './clock.ts'
import { agoInWords, durationInWords, fullTime, timeInWords } from './format.ts'

/** A time, and how long ago it is or how long it takes until then. */
export const When = ({ at }: { at: string }) => {
  const now = useNow()
  return (
    <time dateTime={at} title={fullTime(at)}>
      {timeInWords(at, now)} <span style={{ color: 'var(--text-quiet)' }}>({agoInWords(at, now)})</span>
    </time>
  )
}

/** Only how long ago, for lists. */
export const Ago = ({ at }: { at: string }) => {
  const now = useNow()
  return (
    <time dateTime={at} title={fullTime(at)}>
      {agoInWords(at, now)}
    </time>
  )
}

/** A duration that grows until it has an end. */
export const Duration = ({ from, to }: { from: string; to: string | null }) => {
  const now = useNow()
  return <>{durationInWords((to === null ? now : Date.parse(to)) - Date.parse(from))}</>
}
