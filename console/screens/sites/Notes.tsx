import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { shownText } from '../../parts/shown-text.ts'
import { When } from '../../parts/When.tsx'
import type { Owner } from '../../session/workspace.ts'
import styles from './Site.module.css'

/** What is wrong with the login, and a change of the site that waits. */
export const Notes = ({ entry, owner }: { entry: Api['VaultEntry']; owner: Owner }) => (
  <>
    {entry.statusReason !== null && (
      <div className={entry.status === 'needs_reauth' ? styles.bad : styles.warn}>
        <p className="stranger">{shownText(entry.statusReason)}</p>
        {entry.status === 'needs_reauth' && (
          <p className={styles.quiet}>
            Runs that need the site wait up to 24 hours, and continue when it is reconnected.
          </p>
        )}
      </div>
    )}
    {entry.pendingManifest && (
      <div className={styles.warn}>
        <p>
          {entry.pendingManifest.class === 'changed_address'
            ? 'The site wants calls or logins to be sent to other addresses.'
            : 'The site has changed its tools in a way that may break agents.'}{' '}
          Nothing changes until somebody accepts it.
        </p>
        <p className={styles.quiet}>
          Found <When at={entry.pendingManifest.foundAt} />
        </p>
        <p>
          <Link {...to.siteChanges(owner.address, entry.id)} className={styles.button}>
            Review the change
          </Link>
        </p>
      </div>
    )}
  </>
)
