import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { Narrow } from '../../parts/Narrow.tsx'
import { SignInForm } from '../../parts/SignInForm.tsx'
import { accountQuery } from '../../session/account.ts'
import { addressInside, workspaceIn } from './address-inside.ts'
import { Providers } from './Providers.tsx'
import { SignedInAs } from './SignedInAs.tsx'
import styles from './Account.module.css'

const route = getRouteApi('/sign-in')

/** Sign in with a password or a provider, and return to the page that asked for it. */
export const Page = () => {
  const { from } = route.useSearch()
  const router = useRouter()
  const { data: account } = useQuery(accountQuery)
  const back = addressInside(from)
  const goOn = () => router.history.replace(back)
  if (account)
    return (
      <Narrow key="in" title="You are signed in">
        <SignedInAs account={account} onContinue={goOn} />
      </Narrow>
    )
  return (
    <Narrow title="Sign in to Switchyard">
      <SignInForm onDone={goOn} />
      <Providers returnTo={back} workspaceId={workspaceIn(back)} />
      <p className={styles.links}>
        <Link {...to.forgot()}>Forgot your password?</Link>
        <Link {...to.register(from)}>Create an account</Link>
      </p>
    </Narrow>
  )
}
