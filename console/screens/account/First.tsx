import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { to } from '../../addresses.ts'
import { client } from '../../api/client.ts'
import { detailOf, problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { Field } from '../../design/Field.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import { PasswordField } from '../../parts/PasswordField.tsx'
import { forgetToken } from '../../session/link-token.ts'
import { noteSignedIn } from '../../session/sign-in.ts'
import { own } from '../../session/account.ts'
import styles from './Account.module.css'

const route = getRouteApi('/first')

/** Where the link leads that `npm start` prints: the operator's own account. */
export const Page = () => {
  const { token } = route.useRouteContext()
  return token === undefined ? <NoLink /> : <Create key={token} token={token} />
}

const NoLink = () => (
  <Narrow key="none" title="This page needs a link">
    <p>The link that makes the first account works once and for an hour. To get another one:</p>
    <ol className={styles.steps}>
      <li>
        Start Switchyard again with <code>npm start</code>, or run <code>npm run admin -- first-admin</code>.
      </li>
      <li>Open the link that it prints.</li>
    </ol>
  </Narrow>
)

const Create = ({ token }: { token: string }) => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const creating = useMutation({
    async mutationFn() {
      const { error } = await client.POST('/auth/first-admin', { body: { token, email, password } })
      if (error) throw error
      forgetToken('/first')
      await noteSignedIn()
    },
    onSuccess: () => navigate({ ...to.start(own), replace: true }),
  })
  const { error } = creating
  const problems = { email: detailOf(error, 'email'), password: detailOf(error, 'password') }
  if (error && ['INVALID_TOKEN', 'TOKEN_EXPIRED'].includes(problemOf(error).code)) return <NoLink />
  return (
    <Narrow title="Welcome to Switchyard">
      <p>Make your account. It operates this Switchyard: its address counts as verified.</p>
      <Form
        className={styles.form as string}
        onSubmit={(event) => {
          event.preventDefault()
          creating.mutate()
        }}
      >
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          problem={problems.email}
          isRequired
        />
        <PasswordField value={password} onChange={setPassword} problem={problems.password} isNew />
        {error && problems.email === undefined && problems.password === undefined && <ErrorBox error={error} />}
        <Button type="submit" kind="primary" busy={creating.isPending}>
          Create account
        </Button>
      </Form>
    </Narrow>
  )
}
