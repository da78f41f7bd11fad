import type { Api } from '../api/client.ts'
import { detailOf } from '../api/problem.ts'
import { Choice } from '../design/Choice.tsx'
import { Field } from '../design/Field.tsx'
import type { FormInput } from './approvals.ts'
import styles from './ApprovalCard.module.css'
import { shownText } from './shown-text.ts'

type Form = NonNullable<Api['Approval']['form']>
type FormField = Form['fields'][number]

interface AskedFormProps {
  form: Form
  input: FormInput
  onType: (input: FormInput) => void
  /** What the decision was refused with. */
  error: unknown
}

/** What a site asks in the middle of a call. Everything it says is shown as text. */
export const Question = ({ form: { message }, siteOrigin }: { form: Form; siteOrigin: string }) => (
  <section className={styles.asked}>
    <h3>
      The site <span className="stranger">{siteOrigin}</span> asks
    </h3>
    <p className={`stranger ${styles.message}`}>{shownText(message)}</p>
  </section>
)

/** The fields of a question. */
export const AskedForm = ({ form: { fields }, input, onType, error }: AskedFormProps) => (
  <div className={styles.asked}>
    <p className={styles.quiet}>The site gets what you enter. Do not enter passwords or other secrets.</p>
    {fields.map((field) => (
      <OneField
        key={field.name}
        field={field}
        value={input[field.name] ?? ''}
        problem={detailOf(error, `input.${field.name}`)}
        onChange={(text) => onType({ ...input, [field.name]: text })}
      />
    ))}
  </div>
)

/** What the fields show at first. */
export const firstInput = (form: Form | null): FormInput =>
  Object.fromEntries(form?.fields.map(({ name, preset }) => [name, preset === null ? '' : String(preset)]) ?? [])

interface OneFieldProps {
  field: FormField
  value: string
  problem: string | undefined
  onChange: (text: string) => void
}

const OneField = ({ field, value, problem, onChange }: OneFieldProps) => {
  const { name, title, description, kind, isRequired } = field
  const label = `${shownText(title ?? name)}${isRequired ? '' : ' (optional)'}`
  const hint = description === null ? undefined : <span className="stranger">{shownText(description)}</span>
  const options = optionsOf(field)
  if (options.length === 0)
    return (
      <Field
        label={label}
        hint={hint ?? hints[kind]}
        problem={problem}
        value={value}
        onChange={onChange}
        autoComplete="off"
        {...(kind === 'number' || kind === 'integer' ? { inputMode: 'decimal' as const } : {})}
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
          ...options,
        ]}
        onChoose={onChange}
      />
      {hint && <span className={styles.quiet}>{hint}</span>}
      {problem !== undefined && <span className={styles.problem}>{problem}</span>}
    </div>
  )
}

const hints: Partial<Record<FormField['kind'], string>> = {
  date: 'Such as 2026-07-28',
  'date-time': 'Such as 2026-07-28T10:00:00Z',
}

const optionsOf = ({ kind, choices }: FormField) =>
  kind === 'boolean'
    ? [true, false].map((value) => ({ value: String(value), text: value ? 'yes' : 'no' }))
    : choices.map(({ value, title }) => ({ value, text: shownText(title) }))
