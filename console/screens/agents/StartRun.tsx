import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { Field } from '../../design/Field.tsx'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { useOwner } from '../../session/workspace.ts'
import styles from './Agents.module.css'
import { startBody } from './start-input.ts'

interface StartRunProps {
  agentId: string
  onClose: () => void
}

/** Starts a run, with an input if there is one, and opens it. */
export const StartRun = ({ agentId, onClose }: StartRunProps) => {
  const owner = useOwner()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  // One key for the dialog, so that a start that is tried again after a lost answer starts one run.
  const [key] = useState(() => crypto.randomUUID())
  const body = startBody(text)
  const starting = useMutation({
    async mutationFn() {
      const params = { path: { agentId }, header: { 'Idempotency-Key': key } }
      const sent = body as Api['StartRunRequest']
      const { data, error } = await client.POST('/agents/{agentId}/runs', { params, body: sent })
      if (!data) throw error
      await navigate(to.run(owner.address, data.id))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!starting.isPending) starting.mutate()
  }
  return (
    <Dialog title="Start a run" isOpen onClose={onClose} wide>
      <form className={styles.section} onSubmit={submit}>
        <Field
          label="Input"
          hint="Optional: words or a JSON object. The agent reads it as data, not as instructions."
          lines={6}
          code
          value={text}
          onChange={setText}
        />
        {starting.error && <ErrorBox error={starting.error} />}
        <DialogButtons>
          <Curl action={{ method: 'POST', path: `/agents/${agentId}/runs`, body }} />
          <Button onPress={onClose}>Close</Button>
          <Button kind="primary" type="submit" busy={starting.isPending}>
            Start run
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
