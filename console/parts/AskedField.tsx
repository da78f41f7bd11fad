import { Check } from '../design/Check.tsx'
import { Choice } from '../design/Choice.tsx'
import { Field } from '../design/Field.tsx'
import styles from './AskedField.module.css'
import { chosenAs, chosenIn } from './chosen.ts'
import { shownText } from './shown-text.ts'

interface AskedFieldProps {
  /** Texts of a stranger. */
  name: string
  description: string | undefined
  isRequired: boolean
  kind: string
  /** With options, one of them is chosen, or some for the kind `choices`. Their texts are those of a stranger, too. */
  options: readonly { value: string; text: string }[]
  value: string
  problem: string | undefined
  onChange: (text: string) => void
  /** Shown if there is no description. */
  hint?: string | undefined
}

const rows: Record<string, number> = { lines: 2, json: 4 }

/** One value that a stranger's form asks for: an argument of a tool, or an answer to its question. */
export const AskedField = ({ description, options, hint: other, ...props }: AskedFieldProps) => {
  const { name, kind, isRequired, value, problem, onChange } = props
  const label = `${shownText(name)}${isRequired ? '' : ' (optional)'}`
  const hint = description === undefined ? other : <span className="stranger">{shownText(description)}</span>
  if (options.length === 0)
    return (
      <Field
        label={label}
        hint={hint}
        problem={problem}
        value={value}
        onChange={onChange}
        autoComplete="off"
        {...(kind === 'number' || kind === 'integer' ? { inputMode: 'decimal' as const } : {})}
        {...(rows[kind] === undefined ? {} : { lines: rows[kind], code: kind === 'json' })}
      />
    )
  const below = (
    <>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
      {problem !== undefined && <span className={styles.problem}>{problem}</span>}
    </>
  )
  if (kind === 'choices')
    return (
      <fieldset className={styles.choices}>
        <legend>{label}</legend>
        {options.map((option) => (
          <Check
            key={option.value}
            isSelected={chosenIn(value).includes(option.value)}
            onChange={(isTicked) => {
              const others = chosenIn(value).filter((one) => one !== option.value)
              onChange(chosenAs(isTicked ? [...others, option.value] : others))
            }}
          >
            <span className="stranger">{shownText(option.text)}</span>
          </Check>
        ))}
        {below}
      </fieldset>
    )
  return (
    <div className={styles.choice}>
      <Choice
        isField
        label={label}
        value={value}
        options={[
          ...(isRequired && value !== '' ? [] : [{ value: '', text: isRequired ? 'Choose …' : 'leave out' }]),
          ...options.map((option) => ({ value: option.value, text: shownText(option.text) })),
        ]}
        onChoose={onChange}
      />
      {below}
    </div>
  )
}
