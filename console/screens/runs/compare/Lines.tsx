import type { Api } from '../../../api/client.ts'
import { countInWords } from '../../../parts/format.ts'
import { linesOf, type Line } from '../../../parts/lines.ts'
import styles from './Compare.module.css'

interface LinesProps {
  title: string
  one: unknown
  other: unknown
  runs: readonly [Api['Run'], Api['Run']]
}

/** The difference of two texts, line by line. */
export const Lines = ({ title, one, other, runs }: LinesProps) => (
  <section className={styles.part}>
    <h2>{title}</h2>
    <Difference title={title} one={one} other={other} runs={runs} />
  </section>
)

const Difference = ({ title, one, other, runs: [left, right] }: LinesProps) => {
  if (one === undefined && other === undefined) return <p className={styles.quiet}>Neither run has one.</p>
  if (one === undefined || other === undefined)
    return <p className={styles.quiet}>Only #{(one === undefined ? right : left).sequence} has one.</p>
  const { lines, isCut, isSame } = linesOf(one, other)
  if (isSame) return <p className={styles.quiet}>Both are the same.</p>
  return (
    <>
      <p className={styles.quiet}>
        <span className={styles.one}>− only in #{left.sequence}</span>{' '}
        <span className={styles.other}>+ only in #{right.sequence}</span>
      </p>
      <pre className={styles.lines} tabIndex={0} aria-label={`Difference: ${title}`}>
        {lines.map((line, at) => (
          // Lines have no identity of their own, and never change their places.
          // oxlint-disable-next-line react/no-array-index-key
          <LineOf key={at} line={line} />
        ))}
      </pre>
      {isCut && <p className={styles.quiet}>Only the beginning is compared, because the texts are long.</p>}
    </>
  )
}

const marks = { both: ' ', one: '−', other: '+' } as const

const LineOf = ({ line }: { line: Line }) => {
  if (line.kind === 'hidden') return <span className={styles.hidden}>{countInWords(line.count, 'equal line')}</span>
  const Tag = line.kind === 'one' ? 'del' : line.kind === 'other' ? 'ins' : 'span'
  return (
    <Tag className={`${styles.line} ${styles[line.kind]}`}>
      <span aria-hidden="true">{marks[line.kind]}</span>
      <span className="stranger">{line.text}</span>
    </Tag>
  )
}
