import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import styles from './Account.module.css'

interface ProvidersProps {
  /** A path of the console. */
  returnTo: string
  /** The workspace that the visitor wants to open. It may have a provider of its own. */
  workspaceId?: string | undefined
}

/** The providers to sign in with. Each leads away and back. */
export const Providers = ({ returnTo, workspaceId }: ProvidersProps) => {
  const query = workspaceId === undefined ? {} : { workspaceId }
  const { data } = useQuery(api.queryOptions('get', '/auth/providers', { params: { query } }, { staleTime: 60_000 }))
  if (data === undefined || data.items.length === 0) return null
  return (
    <>
      <p className={styles.or}>or</p>
      <ul className={styles.providers}>
        {data.items.map(({ provider, title, startUrl }) => (
          <li key={provider}>
            <a href={`${startUrl}?returnTo=${encodeURIComponent(returnTo)}`} className="stranger">
              Continue with {title}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
