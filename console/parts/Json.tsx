import { Button } from '../design/Button.tsx'
import styles from './Code.module.css'
import { numberInWords } from './format.ts'
import { shownValue } from './shown-text.ts'

/**
 * A payload, arguments, a result or an answer, cut and with a download. Texts are set as prose, and all else as code.
 * `name` is that of the file.
 */
export const Json = ({ value, name }: { value: unknown; name: string }) => {
  const { text, whole, isCut } = shownValue(value)
  const isText = typeof value === 'string'
  return (
    <div className={styles.block}>
      <pre className={isText ? styles.prose : styles.code} tabIndex={0}>
        {text}
      </pre>
      <span className={styles.download}>
        <Button
          kind="quiet"
          small
          aria-label={`Download ${name}`}
          onPress={() => download(whole, isText ? `${name}.txt` : `${name}.json`)}
        >
          Download
        </Button>
      </span>
      {isCut && <p className={styles.foot}>The first part of {numberInWords(whole.length)} characters.</p>}
    </div>
  )
}

function download(text: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text]))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
