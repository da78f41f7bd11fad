import { AskedField } from '../../../parts/AskedField.tsx'
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
    <AskedField
      {...field}
      key={field.name}
      value={typed.get(field.name) ?? ''}
      problem={problemOf(field.name)}
      onChange={(text) => onType(new Map([...typed, [field.name, text]]))}
    />
  ))
}
