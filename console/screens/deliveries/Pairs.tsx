import { shownText } from '../../parts/shown-text.ts'
import styles from './Deliveries.module.css'

/** Names and texts that strangers wrote, such as headers. */
export const Pairs = ({ label, pairs }: { label: string; pairs: readonly (readonly [string, string])[] }) => (
  <dl className={styles.pairs} aria-label={label}>
    {pairs.map(([name, text]) => [
      <dt key={`${name} name`}>
        <code className="stranger">{shownText(name)}</code>
      </dt>,
      <dd key={`${name} text`} className="stranger">
        {shownText(text)}
      </dd>,
    ])}
  </dl>
)

export const headerPairs = (headers: Record<string, unknown>) =>
  Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
