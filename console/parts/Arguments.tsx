import styles from './Arguments.module.css'
import { flatRows, indented } from './exact-json.ts'
import { Json } from './Json.tsx'
import { shownText, shownValue } from './shown-text.ts'

/** The exact arguments of a call: a table if they are flat, and always the JSON that is sent. */
export const Arguments = ({ json }: { json: string }) => {
  const rows = flatRows(json)
  if (rows?.length === 0) return <p className={styles.none}>The tool is called without arguments.</p>
  return (
    <div className={styles.arguments}>
      {rows && (
        <table className={styles.table} aria-label="Arguments">
          <tbody>
            {rows.map(({ name, value, isText }, at) => (
              // A name may occur twice.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={at}>
                <th scope="row" className="stranger">
                  {shownText(name)}
                </th>
                <td className={`stranger ${isText ? styles.words : styles.value}`}>{shownValue(value).text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows ? (
        <details>
          <summary>As JSON</summary>
          <Json value={indented(json)} name="arguments" />
        </details>
      ) : (
        <Json value={indented(json)} name="arguments" />
      )}
    </div>
  )
}
