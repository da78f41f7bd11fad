import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { isPassing } from '../../api/problem.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { When } from '../../parts/When.tsx'
import { accountQuery, needsTerms } from '../../session/account.ts'
import { AcceptTerms } from './AcceptTerms.tsx'
import { Enter } from './Enter.tsx'
import { Join } from './Join.tsx'
import { SendVerification } from './SendVerification.tsx'
import { SignedInAs } from './SignedInAs.tsx'
import styles from './Account.module.css'

const route = getRouteApi('/invitation')

/** Where the mail leads that invites to a workspace: sign in or register, verify the address, accept the terms, join. */
export const Page = () => {
  const { token } = route.useRouteContext()
  const preview = useQuery({
    queryKey: ['invitation', token],
    enabled: token !== undefined,
    async queryFn() {
      const { data, error } = await client.POST('/invitations/preview', { body: { token: token ?? '' } })
      if (data === undefined) throw error
      return data
    },
  })
  if (token === undefined || (preview.error && !isPassing(preview.error)))
    return (
      <Narrow key="none" title="This invitation does not work">
        {preview.error && <ErrorBox error={preview.error} />}
        <p>
          Open the link in the latest mail that invited you. It works once and for seven days. If it does not, ask for
          another invitation.
        </p>
      </Narrow>
    )
  if (preview.error)
    return (
      <Narrow key="failed" title="Invitation">
        <ErrorBox error={preview.error} onRetry={() => void preview.refetch()} />
      </Narrow>
    )
  if (!preview.data)
    return (
      <Narrow key="reading" title="Invitation">
        <Skeleton lines={4} />
      </Narrow>
    )
  const { workspace, inviter, expiresAt } = preview.data
  return (
    <Narrow key="shown" title={`Join “${shownText(workspace)}”`}>
      <p>
        <strong className="stranger">{shownText(inviter)}</strong> invites you to this workspace. Its members share
        agents, runs and connected sites.
      </p>
      <p className={styles.quiet}>
        The invitation works until <When at={expiresAt} />.
      </p>
      <NextStep token={token} />
    </Narrow>
  )
}

/** What is left to do before joining. It follows the account, also when another tab verifies the address. */
const NextStep = ({ token }: { token: string }) => {
  const { data: account, error, refetch } = useQuery({ ...accountQuery, refetchOnWindowFocus: 'always' })
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />
  if (account === undefined) return <Skeleton lines={3} />
  if (account === null) return <Enter />
  if (account.emailVerifiedAt !== null && !needsTerms(account)) return <Join account={account} token={token} />
  return (
    <>
      {account.emailVerifiedAt === null ? (
        <section className={styles.step} aria-label="Verify your address">
          <SendVerification account={account} />
          <p className={styles.quiet}>Then come back to this page. It continues automatically.</p>
        </section>
      ) : (
        <AcceptTerms account={account} />
      )}
      <SignedInAs account={account} />
    </>
  )
}
