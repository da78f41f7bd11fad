import { useSuspenseQuery } from '@tanstack/react-query'
import type { Api } from '../api/client.ts'
import { accountQuery } from '../session/account.ts'
import { temporalAddress } from './temporal-address.ts'
import styles from './TemporalLinks.module.css'

type Kind = keyof Api['TemporalUi']

const names: Record<Kind, string> = {
  run: 'Workflow in Temporal',
  queue: 'Queue in Temporal',
  schedule: 'Schedule in Temporal',
}

/** Links for operators into the Temporal web interface. Others, and installations without one, see nothing. */
export const TemporalLinks = ({ of: id, kinds }: { of: string; kinds: readonly Kind[] }) => {
  const templates = useSuspenseQuery(accountQuery).data?.temporalUi
  if (!templates) return null
  return (
    <ul className={styles.links} aria-label="For operators">
      {kinds.map((kind) => (
        <li key={kind}>
          <a href={temporalAddress(templates[kind], id)} target="_blank" rel="noopener noreferrer">
            {names[kind]} <span aria-hidden="true">↗</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
