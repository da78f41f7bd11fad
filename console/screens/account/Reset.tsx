import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { detailOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import { PasswordField } from '../../parts/PasswordField.tsx'
import { SignInForm } from '../../parts/SignInForm.tsx'
import { forgetToken } from '../../session/link-token.ts'
import styles from './Account.module.css'

const route = getRouteApi('/reset')

/** Where the mail leads that replaces a forgotten password. */
export const Page = () => {
  const { token } = route.useRouteContext()
  if (token !== undefined) return <Choose key={token} token={token} />
  return (
    <Narrow title="Choose a new password">
      <p>Open the link in the mail that we sent you. It works once and for an hour.</p>
      <Another />
    </Narrow>
  )
}

const Another = () => (
  <p>
    <Link {...to.forgot()}>Get another mail</Link>
  </p>
)

const Choose = ({ token }: { token: string }) => {
  const [newPassword, setPassword] = useState('')
  const navigate = useNavigate()
  const resetting = api.useMutation('post', '/auth/reset-password', { onSuccess: () => forgetToken('/reset') })
  const problem = detailOf(resetting.error, 'newPassword')
  if (resetting.isSuccess)
    return (
      <Narrow key="done" title="Your password is changed">
        <p>
          You are signed out everywhere. Sign in with the new password. A mail lists what can still use the account.
        </p>
        <SignInForm onDone={() => void navigate({ ...to.index(), replace: true })} />
      </Narrow>
    )
  return (
    <Narrow title="Choose a new password">
      <p>All sign-ins and chat sessions of the account end. API keys stay.</p>
      <Form
        className={styles.form as string}
        onSubmit={(event) => {
          event.preventDefault()
          resetting.mutate({ body: { token, newPassword } })
        }}
      >
        <PasswordField label="New password" value={newPassword} onChange={setPassword} problem={problem} isNew />
        {resetting.error && problem === undefined && (
          <>
            <ErrorBox error={resetting.error} />
            <Another />
          </>
        )}
        <Button type="submit" kind="primary" busy={resetting.isPending}>
          Change password
        </Button>
      </Form>
    </Narrow>
  )
}
