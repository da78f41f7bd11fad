import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { SignInForm } from '../../parts/SignInForm.tsx'
import { Providers } from './Providers.tsx'
import { RegisterForm } from './RegisterForm.tsx'
import styles from './Account.module.css'

/** For a visitor with an invitation: an account with the invited address, which may be there already. */
export const Enter = () => {
  const [isNew, setNew] = useState(true)
  const stay = () => undefined
  return (
    <>
      <h2>{isNew ? 'Create an account' : 'Sign in'}</h2>
      {isNew ? (
        <>
          <p>Afterwards we mail you a link that verifies the address. Then you join.</p>
          <RegisterForm emailHint="The address that was invited." onDone={stay} />
        </>
      ) : (
        <SignInForm onDone={stay} />
      )}
      <Providers returnTo="/console/invitation" />
      <p className={styles.links}>
        {isNew ? 'You have an account already?' : 'You have no account yet?'}
        <Button small onPress={() => setNew(!isNew)}>
          {isNew ? 'Sign in' : 'Create an account'}
        </Button>
      </p>
    </>
  )
}
