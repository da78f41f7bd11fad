import { useNow } from '../../parts/clock.ts'
import { fullTime } from '../../parts/format.ts'
import { inLocalTime } from '../../parts/local-times.ts'
import { shownText } from '../../parts/shown-text.ts'
import { Badge } from '../../parts/Status.tsx'
import type { Owner } from '../../session/workspace.ts'
import styles from './Home.module.css'
import { kindWords, needTimes } from './need-words.ts'
import { NeedButton } from './NeedButton.tsx'
import type { Row } from './steady.ts'

/** One thing that needs the reader: what it is, since when, and the button that does something about it. */
export const NeedRow = ({ row: { need, isOver }, owner }: { row: Row; owner: Owner }) => {
  const now = useNow()
  const { word, tone } = kindWords[need.kind]
  return (
    <li className={`${styles.row} ${isOver ? styles.over : ''}`}>
      <div className={styles.kind}>
        <Badge tone={isOver ? 'calm' : tone}>{isOver ? 'done' : word}</Badge>
      </div>
      <div className={styles.what}>
        <p className="stranger">{shownText(inLocalTime(need.message, now))}</p>
        <p className={styles.times}>
          {needTimes(need, now).map(({ at, words }) => (
            <time key={at} dateTime={at} title={fullTime(at)}>
              {words}
            </time>
          ))}
        </p>
      </div>
      <div className={styles.button}>{!isOver && <NeedButton need={need} owner={owner} />}</div>
    </li>
  )
}
