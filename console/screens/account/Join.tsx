import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { workspacesQuery, type Account } from '../../session/account.ts'
import { forgetToken } from '../../session/link-token.ts'
import { SignedInAs } from './SignedInAs.tsx'

/** The last step of an invitation. */
export const Join = ({ account, token }: { account: Account; token: string }) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const joining = api.useMutation('post', '/invitations/accept', {
    async onSuccess({ workspaceId }) {
      forgetToken('/invitation')
      await queries.fetchQuery({ ...workspacesQuery, staleTime: 0 })
      await navigate({ ...to.home(workspaceId), replace: true })
    },
  })
  const isForAnother = joining.error !== null && problemOf(joining.error).code === 'PERMISSION_DENIED'
  return (
    <>
      {isForAnother && (
        <p role="alert">
          The invitation is for another address than yours. Use the account that has the invited address, or ask for an
          invitation of <strong className="stranger">{account.email}</strong>.
        </p>
      )}
      {joining.error && !isForAnother && <ErrorBox error={joining.error} />}
      {!isForAnother && (
        <Button kind="primary" busy={joining.isPending} onPress={() => joining.mutate({ body: { token } })}>
          Join the workspace
        </Button>
      )}
      <SignedInAs account={account} />
    </>
  )
}
