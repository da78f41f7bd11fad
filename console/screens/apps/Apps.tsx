import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { When } from '../../parts/When.tsx'
import { accountQuery, addressOf, ownersOf, workspacesQuery } from '../../session/account.ts'
import { scopesInWords } from './app-words.ts'
import styles from './Apps.module.css'

/** More than a user can connect. */
const most = 100

/** The apps that the person has connected, for all of their workspaces. */
export const Page = () => {
  const { data, error, refetch } = useQuery(
    api.queryOptions('get', '/auth/apps', { params: { query: { limit: most } } }),
  )
  return (
    <Narrow title="Connected apps">
      {error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={4} />
      ) : data.items.length === 0 ? (
        <p>No app is connected. An MCP client asks for access when you add this Switchyard to it.</p>
      ) : (
        <ul className={styles.list}>
          {data.items.map((app) => (
            <App key={app.id} app={app} />
          ))}
        </ul>
      )}
      <Link {...to.index()}>Back to Switchyard</Link>
    </Narrow>
  )
}

const App = ({ app }: { app: Api['ConnectedApp'] }) => {
  const account = useSuspenseQuery(accountQuery).data
  const workspaces = useSuspenseQuery(workspacesQuery).data
  const queries = useQueryClient()
  const removing = api.useMutation('delete', '/auth/apps/{appId}', { onSuccess: () => queries.invalidateQueries() })
  const owner = ownersOf(account, workspaces).find(({ id }) => id === addressOf(app.ownerId, account))
  return (
    <li className={styles.app}>
      <strong className="stranger">{shownText(app.name)}</strong>
      <span>
        For <span className="stranger">{owner?.name ?? app.ownerId}</span>. It may {scopesInWords(app.scopes)}.
      </span>
      <span className={styles.quiet}>
        Connected <When at={app.createdAt} />, returned to{' '}
        <span className="stranger">{shownText(app.redirectHost)}</span>
        {app.lastUsedAt === null ? (
          ', never used'
        ) : (
          <>
            , last used <When at={app.lastUsedAt} />
          </>
        )}
        .
      </span>
      {removing.error && <ErrorBox error={removing.error} />}
      <div className={styles.buttons}>
        <Button
          kind="danger"
          small
          busy={removing.isPending}
          onPress={() => removing.mutate({ params: { path: { appId: app.id } } })}
        >
          Disconnect
        </Button>
        <Curl action={{ method: 'DELETE', path: `/auth/apps/${app.id}` }} />
      </div>
    </li>
  )
}
