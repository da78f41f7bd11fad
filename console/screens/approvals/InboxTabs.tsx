import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import type { Owner } from '../../session/workspace.ts'
import styles from './Inbox.module.css'

const tabs = [
  { show: undefined, text: 'Waiting' },
  { show: 'decided', text: 'Decided' },
] as const

/** Two lists with an address each. */
export const InboxTabs = ({ owner }: { owner: Owner }) => (
  <nav aria-label="Lists of approvals" className={styles.tabs}>
    {tabs.map((tab) => (
      <Link
        key={tab.text}
        {...to.approvals(owner.address)}
        search={{ show: tab.show }}
        activeOptions={{ includeSearch: true, explicitUndefined: true }}
        className={styles.tab}
      >
        {tab.text}
      </Link>
    ))}
  </nav>
)
