import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { to } from '../addresses.ts'
import { problemOf } from '../api/problem.ts'
import { accountQuery, ownersOf, workspacesQuery } from '../session/account.ts'
import { Empty } from './Empty.tsx'
import { ErrorBox } from './ErrorBox.tsx'
import { missingInWords, type ListName } from './missing-words.ts'
import { Narrow } from './Narrow.tsx'
import { Page } from './Page.tsx'
import { Skeleton } from './Skeleton.tsx'

/** For an address that leads nowhere, and for what another tenant owns. Says in which workspace it was looked for. */
export const NotFoundPage = () => {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const { data: account } = useQuery({ ...accountQuery, enabled: false })
  const { data: workspaces } = useQuery({ ...workspacesQuery, enabled: false })
  const address = /^\/w\/([^/]+)/.exec(path)?.[1]
  const owner = ownersOf(account ?? null, workspaces ?? []).find(({ id }) => id === address)
  const { title, sentence, list } = missingInWords(path, owner?.name)
  if (!owner)
    return (
      <Narrow title={title}>
        <p>{sentence}</p>
        {account && <p className="stranger">You are signed in as {account.email}.</p>}
        <p>
          <Link {...to.index()}>Go to the home page</Link>
        </p>
      </Narrow>
    )
  return (
    <Page title={title}>
      <Empty title={sentence}>
        <p>
          {list !== undefined && (
            <>
              <Link {...lists[list](owner.id)}>See all {list}</Link> ·{' '}
            </>
          )}
          <Link {...to.home(owner.id)}>Go to the home page</Link>
        </p>
      </Empty>
    </Page>
  )
}

const lists = {
  runs: (owner) => to.runs(owner),
  agents: (owner) => to.agents(owner),
  approvals: (owner) => to.approvals(owner),
  sites: (owner) => to.sites(owner),
} satisfies Record<ListName, (owner: string) => object>

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
