import { Link, useParams } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { to } from '../addresses.ts'
import { problemOf } from '../api/problem.ts'
import { own, workspacesQuery } from '../session/account.ts'
import { ErrorBox } from './ErrorBox.tsx'
import { Narrow } from './Narrow.tsx'
import { Skeleton } from './Skeleton.tsx'

/** For an address that leads nowhere, and for what another tenant owns. Says where the reader is. */
export const NotFoundPage = () => {
  const { owner } = useParams({ strict: false })
  const { data } = useQuery({ ...workspacesQuery, enabled: owner !== undefined && owner !== own })
  const name = data?.find(({ id }) => id === owner)?.name
  return (
    <Narrow title="There is nothing here">
      <p className="stranger">
        {name === undefined
          ? 'The address is wrong, the thing was deleted, or you have no access to it. You are not in a workspace.'
          : `You are in the workspace “${name}”. The address is wrong, the thing was deleted, or it belongs to another workspace.`}
      </p>
      <p>
        <Link {...(name === undefined || owner === undefined ? to.index() : to.home(owner))}>Go to the home page</Link>
      </p>
    </Narrow>
  )
}

/** Code that cannot be loaded is usually that of a console that was replaced since, so the whole page is loaded again. */
export const ErrorPage = ({ error, reset }: { error: unknown; reset: () => void }) => (
  <Narrow title="This page could not be shown">
    <ErrorBox error={error} onRetry={problemOf(error).code === 'OFFLINE' ? () => location.reload() : reset} />
  </Narrow>
)

export const Pending = () => (
  <div style={{ padding: 'var(--s6)' }}>
    <Skeleton lines={6} />
  </div>
)
