import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField, type TextFieldProps } from 'react-aria-components/TextField'
import styles from './Field.module.css'

interface FieldProps extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string
  hint?: ReactNode
  /** The sentence of a refusal. */
  problem?: string | undefined
  /** Several lines, for JSON in the font of code. */
  lines?: number
  code?: boolean
}

/** A text with its label, its hint and its problem, which screen readers connect. */
export const Field = ({ label, hint, problem, lines, code = false, ...props }: FieldProps) => (
  <TextField {...props} className={styles.field as string} isInvalid={problem !== undefined} validationBehavior="aria">
    <Label className={styles.label}>{label}</Label>
    {lines === undefined ? (
      <Input className={styles.input as string} />
    ) : (
      <TextArea className={`${styles.input} ${code ? styles.code : ''}`} rows={lines} spellCheck={!code} />
    )}
    {hint !== undefined && (
      <Text slot="description" className={styles.hint}>
        {hint}
      </Text>
    )}
    <FieldError className={styles.problem as string}>{problem}</FieldError>
  </TextField>
)
