import { Button } from '../design/Button.tsx'
import styles from './Code.module.css'
import { numberInWords } from './format.ts'
import { shownValue } from './shown-text.ts'

/** A payload, arguments, a result or an answer, cut and with a download. `name` is that of the file. */
export const Json = ({ value, name }: { value: unknown; name: string }) => {
  const { text, whole, isCut } = shownValue(value)
  return (
    <div>
      <pre className={styles.code} tabIndex={0}>
        {text}
      </pre>
      <div className={styles.foot}>
        {isCut && <span>The first part of {numberInWords(whole.length)} characters.</span>}
        <Button
          kind="quiet"
          small
          onPress={() => download(whole, typeof value === 'string' ? `${name}.txt` : `${name}.json`)}
        >
          Download
        </Button>
      </div>
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
