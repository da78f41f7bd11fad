import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { detailOf } from '../api/problem.ts'
import { Button } from '../design/Button.tsx'
import { Field } from '../design/Field.tsx'
import { signIn } from '../session/sign-in.ts'
import { ErrorBox } from './ErrorBox.tsx'
import { PasswordField } from './PasswordField.tsx'
import styles from './SignInForm.module.css'

/** Password and, if the account has an authenticator app, a code. `email` is fixed if the same account must return. */
export const SignInForm = ({ email: fixed, onDone }: { email?: string; onDone: () => void }) => {
  const [typed, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const email = fixed ?? typed
  const entering = useMutation({
    mutationFn: () => signIn({ email, password, ...(code === '' ? {} : { code: code.trim() }) }),
    onSuccess: onDone,
  })
  const codeProblem = detailOf(entering.error, 'code')
  const needsCode = codeProblem !== undefined || code !== ''
  return (
    <Form
      className={styles.form as string}
      onSubmit={(event) => {
        event.preventDefault()
        entering.mutate()
      }}
    >
      {fixed === undefined ? (
        <Field label="Email" type="email" autoComplete="username" value={typed} onChange={setEmail} isRequired />
      ) : (
        <p className="stranger">{fixed}</p>
      )}
      <PasswordField value={password} onChange={setPassword} />
      {needsCode && (
        <Field
          label="Code"
          hint="From your authenticator app, or a recovery code."
          autoComplete="one-time-code"
          spellCheck="false"
          // The field appears because the password was right and a code is missing.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          value={code}
          onChange={setCode}
          problem={code === '' ? undefined : codeProblem}
        />
      )}
      {entering.error && codeProblem === undefined && <ErrorBox error={entering.error} />}
      <Button type="submit" kind="primary" busy={entering.isPending}>
        Sign in
      </Button>
    </Form>
  )
}
