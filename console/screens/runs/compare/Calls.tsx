import type { ListedRun } from '../../../lists/run-list.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Badge } from '../../../parts/Status.tsx'
import type { Call, CallPair } from './calls.ts'
import styles from './Compare.module.css'

interface CallsProps {
  pairs: readonly CallPair[]
  runs: readonly [ListedRun, ListedRun]
}

/** The tool calls of both runs in order. */
export const Calls = ({ pairs, runs: [one, other] }: CallsProps) =>
  pairs.length === 0 ? (
    <p className={styles.quiet}>Neither run called a tool.</p>
  ) : (
    <table className={styles.calls}>
      <thead>
        <tr>
          <th scope="col">#{one.sequence}</th>
          <th scope="col">#{other.sequence}</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {pairs.map((pair) => (
          <tr key={`${pair.one?.callId} ${pair.other?.callId}`} className={inWords(pair) === '' ? '' : styles.differs}>
            <td>
              <OneCall call={pair.one} />
            </td>
            <td>
              <OneCall call={pair.other} />
            </td>
            <td>{inWords(pair) || <span className={styles.quiet}>same</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )

function inWords({ one, other, hasOtherArguments, hasOtherOutcome }: CallPair): string {
  if (!one || !other) return 'only one run'
  return [hasOtherArguments && 'other arguments', hasOtherOutcome && 'other outcome'].filter(Boolean).join(', ')
}

const tones = { succeeded: 'good', failed: 'bad', unknown: 'warn', open: 'busy' } as const

const OneCall = ({ call }: { call: Call | undefined }) =>
  call === undefined ? (
    <span className={styles.quiet}>–</span>
  ) : (
    <span className={styles.call}>
      <code className="stranger">{shownText(call.tool)}</code>
      <Badge tone={tones[call.outcome]}>{call.outcome}</Badge>
      {call.siteStatus !== null && <span className={styles.quiet}>{call.siteStatus}</span>}
    </span>
  )
