import { useMutation } from '@tanstack/react-query'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import type { Account } from '../../session/account.ts'
import { signOut } from '../../session/sign-in.ts'
import styles from './Account.module.css'

/** Who is signed in, and the way to another account. */
export const SignedInAs = ({ account, onContinue }: { account: Account; onContinue?: () => void }) => {
  const leaving = useMutation({ mutationFn: signOut })
  return (
    <>
      <p>
        You are signed in as <strong className="stranger">{account.email}</strong>.
      </p>
      {leaving.error && <ErrorBox error={leaving.error} />}
      <div className={styles.buttons}>
        {onContinue && (
          <Button kind="primary" onPress={onContinue}>
            Continue
          </Button>
        )}
        <Button busy={leaving.isPending} onPress={() => leaving.mutate()}>
          Use another account
        </Button>
      </div>
    </>
  )
}
