import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../design/Dialog.tsx'
import { accountQuery } from '../session/account.ts'
import { login } from '../session/login.ts'
import { SignInForm } from './SignInForm.tsx'

/** Over the page when the login ended, so that nothing that somebody typed is lost. */
export const SignInAgain = () => {
  const hasEnded = login.use() === 'ended'
  const { data: account } = useQuery({ ...accountQuery, enabled: false })
  const queries = useQueryClient()
  return (
    <Dialog title="Sign in again" isOpen={hasEnded}>
      <p>Your login has ended. The page and what you typed stay as they are.</p>
      <SignInForm {...(account ? { email: account.email } : {})} onDone={() => void queries.invalidateQueries()} />
    </Dialog>
  )
}
