import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import type { Account } from '../../session/account.ts'

/** Whether the account's address is verified, and the mail once more. */
export const SendVerification = ({ account: { email, emailVerifiedAt } }: { account: Account }) => {
  const sending = api.useMutation('post', '/auth/verify-email/send')
  if (emailVerifiedAt !== null)
    return (
      <p>
        Your address <strong className="stranger">{email}</strong> is verified.{' '}
        <Link {...to.index()}>Open the console</Link>
      </p>
    )
  return (
    <>
      <p>
        Your address <strong className="stranger">{email}</strong> is not verified yet. Open the link in the latest mail
        that we sent there. It works for 24 hours.
      </p>
      {sending.error && <ErrorBox error={sending.error} />}
      <p aria-live="polite">
        {sending.isSuccess && 'A mail with a link is on its way. Earlier links do not work any more.'}
      </p>
      <Button busy={sending.isPending} onPress={() => sending.mutate({})}>
        Send the mail again
      </Button>
    </>
  )
}
