import { marksOf } from './axis.ts'
import { useIsNarrow } from '../../../parts/narrow.ts'
import type { Scale } from './idle.ts'
import styles from './Timeline.module.css'

/** Words need the same pixels on a shorter line. */
const narrowRoom = 0.22

/** The words above the bars. Each row says its own duration, so that they need not be read aloud. */
export const Axis = ({ scale }: { scale: Scale }) => (
  <div className={styles.axis} aria-hidden="true">
    <div className={styles.marks}>
      {marksOf(scale, useIsNarrow() ? narrowRoom : undefined).map(({ place, text }) => (
        // At its start a mark begins at its place, at the end it ends there, so that none leaves the line.
        <span
          key={place}
          className={styles.axisMark}
          style={{ insetInlineStart: `${place * 100}%`, translate: `${place * -100}%` }}
        >
          {text}
        </span>
      ))}
    </div>
  </div>
)
