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
  const { data } = useQuery(api.queryOptions('get', '/auth/providers'))
  const providers = data?.items ?? []
  const then = `?returnTo=${encodeURIComponent(returnTo)}`
  if (providers.length === 0 && workspaceId === undefined) return null
  return (
    <>
      <p className={styles.or}>or</p>
      <ul className={styles.providers}>
        {providers.map(({ provider, title, startUrl }) => (
          <li key={provider}>
            <a href={startUrl + then} className="stranger">
              Continue with {title}
            </a>
          </li>
        ))}
        {workspaceId !== undefined && (
          <li>
            <a href={`/auth/oidc/${workspaceId}/start${then}`}>Continue with your workspace’s provider</a>
          </li>
        )}
      </ul>
    </>
  )
}
