import { useState } from 'react'
import { asCurl, type Action } from '../api/curl.ts'
import { Button } from '../design/Button.tsx'
import { Dialog, DialogButtons } from '../design/Dialog.tsx'
import { notify } from '../design/notices.ts'
import styles from './Code.module.css'

/** A small button that shows an action as a command. */
export const Curl = ({ action }: { action: Action }) => {
  const [isOpen, setOpen] = useState(false)
  const command = asCurl(action, location.origin)
  const copy = () =>
    void navigator.clipboard.writeText(command).then(
      () => notify('done', 'The command is copied.'),
      () => notify('problem', 'The browser does not allow copying. Select the command and copy it.'),
    )
  return (
    <>
      <Button kind="quiet" small onPress={() => setOpen(true)}>
        curl
      </Button>
      <Dialog title="The same as a command" isOpen={isOpen} onClose={() => setOpen(false)} wide>
        <p>
          <code>$TOKEN</code> is an access token or an API key.
        </p>
        <pre className={styles.code} tabIndex={0}>
          {command}
        </pre>
        <DialogButtons>
          <Button onPress={() => setOpen(false)}>Close</Button>
          <Button kind="primary" onPress={copy}>
            Copy
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}
