import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Check } from '../../../design/Check.tsx'
import { Choice } from '../../../design/Choice.tsx'
import { Field } from '../../../design/Field.tsx'
import styles from './Form.module.css'
import { freeName, jsonProblem, nameProblem, type Row } from './schema-rows.ts'

/** How a schema is read as a table, and written. */
export interface Table {
  types: readonly Exclude<Row['type'], 'other'>[]
  rows: (text: string) => Row[] | undefined
  withRow: (text: string, name: string | undefined, next: Row | undefined) => string
}

interface SchemaFieldProps {
  label: string
  hint: string
  text: string
  table: Table
  problem: string | undefined
  onChange: (text: string) => void
}

/** A schema as a table of its fields and as JSON. The JSON is what counts, and the table changes it. */
export const SchemaField = ({ label, hint, text, table, problem, onChange }: SchemaFieldProps) => {
  const rows = table.rows(text)
  const change = (name: string | undefined, next: Row | undefined) => onChange(table.withRow(text, name, next))
  const add = (from: readonly Row[]) =>
    change(undefined, { name: freeName(from), type: 'string', required: true, description: '' })
  return (
    <div className={styles.beside} role="group" aria-label={label}>
      {rows ? (
        <div className={styles.rows}>
          {rows.map((row, at) => (
            // A row whose name changes stays the same row, so that the focus stays in it.
            // oxlint-disable-next-line react/no-array-index-key
            <RowFields key={at} row={row} rows={rows} types={table.types} onChange={change} />
          ))}
          <div>
            <Button small onPress={() => add(rows)}>
              Add field
            </Button>
          </div>
        </div>
      ) : (
        <p className={styles.quiet}>The table cannot show this schema. Change it as JSON.</p>
      )}
      <Field
        label={label}
        hint={hint}
        lines={6}
        code
        value={text}
        onChange={onChange}
        problem={problem ?? jsonProblem(text)}
      />
    </div>
  )
}

interface RowFieldsProps {
  row: Row
  rows: readonly Row[]
  types: Table['types']
  onChange: (name: string, next: Row | undefined) => void
}

const RowFields = ({ row, rows, types, onChange }: RowFieldsProps) => {
  const change = (part: Partial<Row>) => onChange(row.name, { ...row, ...part })
  const offered = row.type === 'other' ? (['other', ...types] as const) : types
  return (
    <div className={styles.row}>
      <NameField key={row.name} row={row} rows={rows} onRename={(name) => change({ name })} />
      <Choice
        isField
        label="Type"
        value={row.type}
        options={offered.map((type) => ({ value: type, text: type }))}
        onChoose={(type: Row['type']) => change({ type })}
      />
      <Field label="Description" value={row.description} onChange={(description) => change({ description })} />
      <Check isSelected={row.required} onChange={(required) => change({ required })}>
        Required
      </Check>
      <Button kind="quiet" small aria-label={`Remove ${row.name}`} onPress={() => onChange(row.name, undefined)}>
        Remove
      </Button>
    </div>
  )
}

interface NameFieldProps {
  row: Row
  rows: readonly Row[]
  onRename: (name: string) => void
}

/** The name counts when the field is left, so that a half-typed name never takes the place of another field. */
const NameField = ({ row, rows, onRename }: NameFieldProps) => {
  const [typed, setTyped] = useState(row.name)
  const problem = nameProblem(rows, row.name, typed)
  const leave = () => {
    if (problem === undefined && typed !== row.name) onRename(typed)
  }
  return (
    <Field
      label="Name"
      value={typed}
      onChange={setTyped}
      onBlur={leave}
      onKeyDown={(event) => {
        // Enter would send the form with the name before.
        if (event.key !== 'Enter') return
        event.preventDefault()
        leave()
      }}
      problem={problem}
    />
  )
}
