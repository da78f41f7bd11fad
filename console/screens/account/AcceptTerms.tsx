import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { accountQuery, type Account } from '../../session/account.ts'

/** Accepts the current terms of the operator, which the API knows by their version alone. */
export const AcceptTerms = ({ account: { terms }, onDone }: { account: Account; onDone?: () => void }) => {
  const queries = useQueryClient()
  const accepting = api.useMutation('post', '/auth/accept-terms', {
    onSuccess(account) {
      queries.setQueryData(accountQuery.queryKey, account)
      onDone?.()
    },
  })
  return (
    <>
      <p>
        The operator of this Switchyard has terms of use
        {terms.acceptedVersion === null ? '' : ', which have changed'}. The current version is{' '}
        <strong>{terms.currentVersion}</strong>. Ask the operator for them if you do not know them.
      </p>
      {accepting.error && <ErrorBox error={accepting.error} />}
      <Button kind="primary" busy={accepting.isPending} onPress={() => accepting.mutate({})}>
        Accept the terms
      </Button>
    </>
  )
}
