import { useState } from 'react'
import { Button } from '../design/Button.tsx'
import { Field } from '../design/Field.tsx'
import styles from './PasswordField.module.css'

interface PasswordFieldProps {
  label?: string
  value: string
  onChange: (value: string) => void
  /** The sentence of a refusal. */
  problem?: string | undefined
  isNew?: boolean
}

/** A password, which can be shown, so that nobody has to type it twice. */
export const PasswordField = ({ label = 'Password', problem, isNew = false, ...props }: PasswordFieldProps) => {
  const [isShown, setShown] = useState(false)
  const verb = isShown ? 'Hide' : 'Show'
  return (
    <div className={styles.password}>
      <Field
        {...props}
        label={label}
        problem={problem}
        {...(isNew && { hint: '10 to 256 characters. A sentence is easy to remember.' })}
        type={isShown ? 'text' : 'password'}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        spellCheck="false"
        isRequired
      />
      <span className={styles.show}>
        <Button kind="quiet" small aria-label={`${verb} the password`} onPress={() => setShown(!isShown)}>
          {verb}
        </Button>
      </span>
    </div>
  )
}
