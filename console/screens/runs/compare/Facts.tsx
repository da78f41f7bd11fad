import type { ListedRun } from '../../../lists/run-list.ts'
import { useNow } from '../../../parts/clock.ts'
import { factsOf } from './facts.ts'
import styles from './Compare.module.css'

/** What can be counted about both runs. Rows that differ are marked. */
export const Facts = ({ one, other }: { one: ListedRun; other: ListedRun }) => (
  <table className={styles.facts}>
    <thead>
      <tr>
        <th scope="col">
          <span className={styles.spoken}>Fact</span>
        </th>
        <th scope="col">#{one.sequence}</th>
        <th scope="col">#{other.sequence}</th>
        <th scope="col">Difference</th>
      </tr>
    </thead>
    <tbody>
      {factsOf(one, other, useNow()).map((fact) => (
        <tr key={fact.name} className={fact.differs ? styles.differs : ''}>
          <th scope="row">{fact.name}</th>
          <td>{fact.one}</td>
          <td>{fact.other}</td>
          <td>{fact.differs ? (fact.change ?? 'different') : <span className={styles.quiet}>same</span>}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
