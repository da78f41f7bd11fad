import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { client } from '../../api/client.ts'
import { detailOf, problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { Field } from '../../design/Field.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { PasswordField } from '../../parts/PasswordField.tsx'
import { signIn } from '../../session/sign-in.ts'
import styles from './Account.module.css'

/** Creates an account and signs in to it. The address is verified by mail afterwards. */
export const RegisterForm = ({ emailHint, onDone }: { emailHint?: string; onDone: () => void }) => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [invitation, setInvitation] = useState('')
  const registering = useMutation({
    async mutationFn() {
      const body = { email, password, ...(invitation === '' ? {} : { invitation: invitation.trim() }) }
      const { error } = await client.POST('/auth/register', { body })
      if (error) throw error
      await signIn({ email, password })
    },
    onSuccess: onDone,
  })
  const { error } = registering
  const problems = { email: detailOf(error, 'email'), password: detailOf(error, 'password') }
  const asksForInvitation = invitation !== '' || (error !== null && problemOf(error).code === 'PERMISSION_DENIED')
  return (
    <Form
      className={styles.form as string}
      onSubmit={(event) => {
        event.preventDefault()
        registering.mutate()
      }}
    >
      <Field
        label="Email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        problem={problems.email}
        {...(emailHint !== undefined && { hint: emailHint })}
        isRequired
      />
      <PasswordField value={password} onChange={setPassword} problem={problems.password} isNew />
      {asksForInvitation && (
        <Field
          label="Operator’s invitation"
          hint="The operator of this Switchyard gives it to you, if registration needs one."
          autoComplete="off"
          spellCheck="false"
          value={invitation}
          onChange={setInvitation}
        />
      )}
      {error && problems.email === undefined && problems.password === undefined && <ErrorBox error={error} />}
      <Button type="submit" kind="primary" busy={registering.isPending}>
        Create account
      </Button>
    </Form>
  )
}
