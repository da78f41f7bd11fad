import { Choice } from '../../../design/Choice.tsx'
import { Field } from '../../../design/Field.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import styles from './Calls.module.css'
import type { ArgumentField } from './schema-form.ts'

interface ArgumentFieldsProps {
  fields: readonly ArgumentField[]
  typed: ReadonlyMap<string, string>
  /** The sentence about one argument, if it cannot be sent or was refused. */
  problemOf: (name: string) => string | undefined
  onType: (typed: ReadonlyMap<string, string>) => void
}

/** A field for each argument of a tool. */
export const ArgumentFields = ({ fields, typed, problemOf, onType }: ArgumentFieldsProps) => {
  if (fields.length === 0) return <p className={styles.quiet}>This tool takes no arguments.</p>
  return fields.map((field) => (
    <OneArgument
      key={field.name}
      field={field}
      value={typed.get(field.name) ?? ''}
      problem={problemOf(field.name)}
      onChange={(text) => onType(new Map([...typed, [field.name, text]]))}
    />
  ))
}

interface OneArgumentProps {
  field: ArgumentField
  value: string
  problem: string | undefined
  onChange: (text: string) => void
}

const rows = { lines: 2, json: 4 }

const OneArgument = ({ field, value, problem, onChange }: OneArgumentProps) => {
  const { name, kind, isRequired, description } = field
  const label = `${shownText(name)}${isRequired ? '' : ' (optional)'}`
  const hint = description === undefined ? undefined : <span className="stranger">{shownText(description)}</span>
  if (kind !== 'choice')
    return (
      <Field
        label={label}
        hint={hint}
        problem={problem}
        value={value}
        onChange={onChange}
        autoComplete="off"
        {...(kind === 'number' || kind === 'integer' ? { inputMode: 'decimal' as const } : {})}
        {...(kind === 'lines' || kind === 'json' ? { lines: rows[kind], code: kind === 'json' } : {})}
      />
    )
  return (
    <div className={styles.choice}>
      <Choice
        isField
        label={label}
        value={value}
        options={[
          ...(isRequired && value !== '' ? [] : [{ value: '', text: isRequired ? 'Choose …' : 'leave out' }]),
          ...field.options.map((option) => ({ value: option.value, text: shownText(option.text) })),
        ]}
        onChoose={onChange}
      />
      {hint && <span className={styles.quiet}>{hint}</span>}
      {problem !== undefined && <span className={styles.problem}>{problem}</span>}
    </div>
  )
}
