import { memo, type Ref } from 'react'
import type { Api } from '../../../api/client.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { durationInWords } from '../../../parts/format.ts'
import type { Bar } from './building.ts'
import { BarDetail } from './BarDetail.tsx'
import type { Scale } from './idle.ts'
import styles from './Timeline.module.css'

/** A bar changes in place, and `scale` is another object whenever one did. */
interface BarRowProps {
  ref: Ref<HTMLLIElement>
  runId: string
  readEvent: (number: number) => Promise<Api['RunEvent']>
  index: number
  /** Pixels from the top of the list. */
  top: number
  bar: Bar
  scale: Scale
  now: number
  isOpen: boolean
  /** What the model is writing. */
  writing: string | undefined
  onToggle: (id: string) => void
}

export const BarRow = memo(
  ({ ref, runId, readEvent, index, top, bar, scale, now, isOpen, writing, onToggle }: BarRowProps) => {
    const ms = (bar.to ?? now) - bar.from
    const took = bar.kind === 'moment' ? '' : durationInWords(ms)
    return (
      <li ref={ref} data-index={index} className={styles.row} style={{ transform: `translateY(${top}px)` }}>
        <button
          type="button"
          data-row={index}
          className={styles.head}
          aria-expanded={isOpen}
          onClick={() => onToggle(bar.id)}
        >
          <span className={`${styles.name} ${bar.depth === 1 ? styles.inner : ''}`}>
            <span className={`${styles.mark} ${styles[bar.tone]}`} aria-hidden="true" />
            <span className={`${styles.title} stranger`}>{shownText(bar.title)}</span>
            <span className={styles.outcome}>{bar.outcome}</span>
          </span>
          <span className={styles.track}>
            <Span bar={bar} from={bar.from} to={bar.to ?? now} scale={scale} className={styles[bar.tone] ?? ''} />
            {bar.attempts
              .filter(({ isFailed }) => isFailed)
              .map((attempt) => (
                <Span
                  key={attempt.from}
                  bar={bar}
                  from={attempt.from}
                  to={attempt.to ?? now}
                  scale={scale}
                  className={styles.bad ?? ''}
                />
              ))}
          </span>
          <span className={styles.took}>{took}</span>
        </button>
        {writing !== undefined && !isOpen && <p className={`${styles.writing} stranger`}>{shownText(writing)}</p>}
        {isOpen && <BarDetail runId={runId} readEvent={readEvent} bar={bar} writing={writing} />}
      </li>
    )
  },
)

interface SpanProps {
  bar: Bar
  from: number
  to: number
  scale: Scale
  className: string
}

const Span = ({ bar, from, to, scale, className }: SpanProps) => {
  const start = scale.at(from)
  return (
    <span
      className={`${styles.span} ${styles[bar.kind] ?? ''} ${className} ${bar.to === null ? styles.live : ''}`}
      style={{ insetInlineStart: `${start * 100}%`, width: `${Math.max(0, scale.at(to) - start) * 100}%` }}
    />
  )
}
