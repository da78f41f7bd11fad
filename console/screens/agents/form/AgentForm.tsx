import { useEffect, useRef, type FormEvent, type ReactNode } from 'react'
import { isPassing } from '../../../api/problem.ts'
import { Button } from '../../../design/Button.tsx'
import { Field } from '../../../design/Field.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import type { Owner } from '../../../session/workspace.ts'
import type { Draft } from './draft.ts'
import styles from './Form.module.css'
import { problemAt } from './form-problems.ts'
import type { PartProps } from './draft.ts'
import { ModelFields } from './ModelFields.tsx'
import { SchemaField, type Table } from './SchemaField.tsx'
import { jsonProblem, rowsOf, withRow } from './schema-rows.ts'
import { SitesField } from './SitesField.tsx'
import { TriggerFields } from './TriggerFields.tsx'

interface AgentFormProps {
  owner: Owner
  draft: Draft
  /** What the last attempt failed with, and what it sent. */
  error: unknown
  sent: Draft | undefined
  busy: boolean
  verb: string
  onChange: (draft: Draft) => void
  onSave: () => void
  children?: ReactNode
}

const outputTable: Table = {
  types: ['string', 'number', 'integer', 'boolean', 'object', 'array'],
  rows: rowsOf,
  withRow,
}

/** Everything that can be said about an agent. What was typed stays until the API has accepted it. */
export const AgentForm = ({ owner, draft, error, sent, busy, verb, onChange, onSave, children }: AgentFormProps) => {
  const part: PartProps = {
    draft,
    change: (changed) => onChange({ ...draft, ...changed }),
    // What was corrected since is judged by the next attempt.
    problem: (field) => (sent?.[field] === draft[field] ? problemAt(error, field) : undefined),
  }
  const { change, problem } = part
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  const isJson = [draft.outputSchema, draft.webhookSchema].every((text) => jsonProblem(text) === undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isJson && !busy) onSave()
  }
  return (
    <form ref={form} className={styles.form} onSubmit={submit}>
      <section className={styles.part} aria-label="Name and prompt">
        <Field
          label="Name"
          value={draft.name}
          onChange={(name) => change({ name })}
          problem={problem('name')}
          isRequired
        />
        <Field
          label="Prompt"
          hint="What the agent does, in plain language. At most 20,000 characters."
          lines={10}
          value={draft.systemPrompt}
          onChange={(systemPrompt) => change({ systemPrompt })}
          problem={problem('systemPrompt')}
          isRequired
        />
      </section>
      <TriggerFields {...part} />
      <section className={styles.part} aria-labelledby="form-sites">
        <h2 id="form-sites">Sites and tools</h2>
        <SitesField
          owner={owner}
          sites={draft.sites}
          problem={problem('sites')}
          onChange={(sites) => change({ sites })}
        />
      </section>
      <ModelFields {...part} />
      <section className={styles.part} aria-labelledby="form-answer">
        <h2 id="form-answer">Answer</h2>
        <SchemaField
          label="Schema of the answer"
          hint="A JSON Schema. Leave it empty for an answer in words."
          text={draft.outputSchema}
          table={outputTable}
          problem={problem('outputSchema')}
          onChange={(outputSchema) => change({ outputSchema })}
        />
        <Field
          label="Callback URL"
          hint="A public HTTPS address that is called when a run ends. Leave it empty for none."
          value={draft.callbackUrl}
          onChange={(callbackUrl) => change({ callbackUrl })}
          problem={problem('callbackUrl')}
        />
      </section>
      {error !== null && <ErrorBox error={error} {...(isPassing(error) && { onRetry: onSave })} />}
      <div className={styles.foot}>
        {children}
        <Button kind="primary" type="submit" busy={busy} isDisabled={!isJson}>
          {verb}
        </Button>
      </div>
    </form>
  )
}
