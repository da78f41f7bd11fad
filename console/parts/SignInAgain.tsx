import { Link } from '@tanstack/react-router'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { to } from '../addresses.ts'
import { Button } from '../design/Button.tsx'
import { Dialog } from '../design/Dialog.tsx'
import { accountQuery } from '../session/account.ts'
import { login } from '../session/login.ts'
import { noteSignedIn } from '../session/sign-in.ts'
import { ErrorBox } from './ErrorBox.tsx'
import { SignInForm } from './SignInForm.tsx'

/** Over the page when the login ended, so that nothing that somebody typed is lost. */
export const SignInAgain = () => {
  const hasEnded = login.use() === 'ended'
  const { data: account } = useQuery({ ...accountQuery, enabled: false })
  const queries = useQueryClient()
  const goOn = () => void queries.invalidateQueries()
  const looking = useMutation({ mutationFn: noteSignedIn, onSuccess: goOn })
  return (
    <Dialog title="Sign in again" isOpen={hasEnded}>
      <p>Your login has ended. The page and what you typed stay as they are.</p>
      <SignInForm {...(account ? { email: account.email } : {})} onDone={goOn} />
      <p>
        With a provider,{' '}
        <Link {...to.signIn()} target="_blank">
          sign in on another tab
        </Link>
        , and come back.
      </p>
      {looking.error && <ErrorBox error={looking.error} />}
      <Button busy={looking.isPending} onPress={() => looking.mutate()}>
        I have signed in there
      </Button>
    </Dialog>
  )
}
