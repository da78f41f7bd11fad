import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { detailOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { Field } from '../../design/Field.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import styles from './Account.module.css'

/** Asks for a mail with a link to a new password. Says the same whether or not an account has the address. */
export const Page = () => {
  const [email, setEmail] = useState('')
  const asking = api.useMutation('post', '/auth/forgot-password')
  const problem = detailOf(asking.error, 'email')
  if (asking.isSuccess)
    return (
      <Narrow key="sent" title="Look into your mail">
        <p>
          If an account has the address <strong className="stranger">{email}</strong>, a mail with a link is on its way.
          The link works once and for an hour.
        </p>
        <p className={styles.quiet}>An address gets five of these mails an hour at most.</p>
        <p>
          <Link {...to.signIn()}>Back to signing in</Link>
        </p>
      </Narrow>
    )
  return (
    <Narrow title="Forgot your password?">
      <p>We send you a mail with a link, which leads to a new password.</p>
      <Form
        className={styles.form as string}
        onSubmit={(event) => {
          event.preventDefault()
          asking.mutate({ body: { email } })
        }}
      >
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          problem={problem}
          isRequired
        />
        {asking.error && problem === undefined && <ErrorBox error={asking.error} />}
        <Button type="submit" kind="primary" busy={asking.isPending}>
          Send the mail
        </Button>
      </Form>
      <p>
        <Link {...to.signIn()}>Back to signing in</Link>
      </p>
    </Narrow>
  )
}
