import type { Api } from '../api/client.ts'
import { detailOf } from '../api/problem.ts'
import type { FormInput } from './approvals.ts'
import { chosenAs, chosenIn } from './chosen.ts'
import styles from './ApprovalCard.module.css'
import { AskedField } from './AskedField.tsx'
import { shownText } from './shown-text.ts'

type Form = NonNullable<Api['Approval']['form']>
type FormField = Form['fields'][number]

/** The texts of the fields, by their names. */
type Typed = Record<string, string>

interface AskedFormProps {
  form: Form
  typed: Typed
  onType: (typed: Typed) => void
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
export const AskedForm = ({ form: { fields }, typed, onType, error }: AskedFormProps) => (
  <div className={styles.asked}>
    <p className={styles.quiet}>The site gets what you enter. Do not enter passwords or other secrets.</p>
    {fields.map((field) => (
      <AskedField
        key={field.name}
        name={field.title ?? field.name}
        description={field.description ?? undefined}
        isRequired={field.isRequired}
        kind={field.kind}
        options={optionsOf(field)}
        hint={hints[field.kind]}
        value={typed[field.name] ?? ''}
        problem={detailOf(error, `input.${field.name}`)}
        onChange={(text) => onType({ ...typed, [field.name]: text })}
      />
    ))}
  </div>
)

/** What the fields show at first. */
export const firstTyped = (form: Form | null): Typed =>
  Object.fromEntries(form?.fields.map(({ name, preset }) => [name, textOf(preset)]) ?? [])

const textOf = (preset: FormField['preset']): string =>
  Array.isArray(preset) ? chosenAs(preset) : preset === null ? '' : String(preset)

/** What the site gets. */
export const inputIn = ({ fields }: Form, typed: Typed): FormInput =>
  Object.fromEntries(
    fields.map(({ name, kind }) => {
      const text = typed[name] ?? ''
      return [name, kind === 'choices' ? chosenIn(text) : text]
    }),
  )

const hints: Partial<Record<FormField['kind'], string>> = {
  date: 'Such as 2026-07-28',
  'date-time': 'Such as 2026-07-28T10:00:00Z',
}

const optionsOf = ({ kind, choices }: FormField) =>
  kind === 'boolean'
    ? [true, false].map((value) => ({ value: String(value), text: value ? 'yes' : 'no' }))
    : choices.map(({ value, title }) => ({ value, text: title }))
