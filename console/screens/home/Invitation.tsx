import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { Empty } from '../../parts/Empty.tsx'
import type { Owner } from '../../session/workspace.ts'
import styles from './Home.module.css'

/** For an owner without agents. */
export const Invitation = ({ owner }: { owner: Owner }) => (
  <Empty title="There are no agents yet">
    <p>
      An agent reads, decides and calls the tools of connected sites: on a schedule, for each webhook delivery, or when
      you start it. Its runs, and everything that needs you, will be listed here.
    </p>
    {owner.may('build') ? (
      <Link {...to.start(owner.address)} className={styles.start}>
        Start from a template
      </Link>
    ) : (
      <p>Ask a member of the workspace to create one.</p>
    )}
  </Empty>
)
