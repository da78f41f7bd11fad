import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import { accountQuery, type Account } from '../../session/account.ts'
import { forgetToken } from '../../session/link-token.ts'
import { announceLogin } from '../../session/login.ts'
import { SendVerification } from './SendVerification.tsx'

const route = getRouteApi('/verify')

/** Where the mail leads that verifies an address. Without its token, the mail can be sent again. */
export const Page = () => {
  const { token } = route.useRouteContext()
  const { data: account } = useQuery(accountQuery)
  if (token !== undefined) return <Confirm key={token} token={token} account={account ?? undefined} />
  return (
    <Narrow title="Verify your address">
      {account ? (
        <SendVerification account={account} />
      ) : (
        <p>
          Open the link in the mail that we sent you. To get another mail,{' '}
          <Link {...to.signIn('/verify')}>sign in</Link>.
        </p>
      )}
    </Narrow>
  )
}

/** Asks for a press, because programs that check mails for viruses open every link. */
const Confirm = ({ token, account }: { token: string; account: Account | undefined }) => {
  const queries = useQueryClient()
  const verifying = api.useMutation('post', '/auth/verify-email', {
    async onSuccess() {
      forgetToken('/verify')
      await queries.invalidateQueries()
      // Another tab may wait for this.
      if (account) announceLogin(account.id)
    },
  })
  if (verifying.isSuccess)
    return (
      <Narrow key="done" title="Your address is verified">
        <p>If another page sent you to your mail, go back to it. It continues automatically.</p>
        <p>{account ? <Link {...to.index()}>Open the console</Link> : <Link {...to.signIn()}>Sign in</Link>}</p>
      </Narrow>
    )
  return (
    <Narrow title="Verify your address">
      <p>Confirm that the mail reached you.</p>
      {verifying.error && (
        <>
          <ErrorBox error={verifying.error} />
          {account ? (
            <SendVerification account={account} />
          ) : (
            <p>
              A link works once and for 24 hours, and only the one in the latest mail. To get another mail,{' '}
              <Link {...to.signIn('/verify')}>sign in</Link>.
            </p>
          )}
        </>
      )}
      {!verifying.error && (
        <Button kind="primary" busy={verifying.isPending} onPress={() => verifying.mutate({ body: { token } })}>
          Verify address
        </Button>
      )}
    </Narrow>
  )
}
