import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { shownText } from '../../parts/shown-text.ts'
import styles from './Connect.module.css'
import { hiddenSecret } from './snippets.ts'

interface PasteValueProps {
  /** What the value is: `address`, `secret`. */
  name: string
  value: string
  isSecret?: boolean
}

/** A value to paste elsewhere. A secret is shown on demand, and can be copied without being shown. */
export const PasteValue = ({ name, value, isSecret = false }: PasteValueProps) => {
  const [isShown, setShown] = useState(!isSecret)
  const copy = () =>
    void navigator.clipboard.writeText(value).then(
      () => notify('done', `The ${name} is copied.`),
      () => notify('problem', `The browser does not allow copying. Show the ${name}, select it and copy it.`),
    )
  return (
    <div className={styles.value}>
      <code>{isShown ? shownText(value) : <span aria-hidden="true">{hiddenSecret}</span>}</code>
      {isSecret && (
        <Button small aria-label={`${isShown ? 'Hide' : 'Show'} the ${name}`} onPress={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
      )}
      <Button small aria-label={`Copy the ${name}`} onPress={copy}>
        Copy
      </Button>
    </div>
  )
}
