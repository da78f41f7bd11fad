import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { detailOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { Choice } from '../../design/Choice.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { Field } from '../../design/Field.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import styles from './Connect.module.css'
import { overlaps, type Overlap } from './snippets.ts'
import { agentQuery } from './useAgent.ts'

/** Takes the sender's secret, or makes one. The secret before may stay valid for a while. */
export const RotateDialog = ({ agentId, onClose }: { agentId: string; onClose: () => void }) => {
  const queries = useQueryClient()
  const [secret, setSecret] = useState('')
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const rotating = useMutation({
    async mutationFn() {
      const body = { overlapSeconds: Number(overlap), ...(secret.trim() === '' ? {} : { secret: secret.trim() }) }
      const { data, error } = await client.POST('/agents/{agentId}/rotate-secret', {
        params: { path: { agentId } },
        body,
      })
      if (!data) throw error
      return data
    },
    onSuccess(agent) {
      queries.setQueryData(agentQuery(agentId).queryKey, agent)
      notify('done', 'The secret is changed.')
      onClose()
    },
  })
  return (
    <Dialog title="Change the secret" isOpen onClose={onClose}>
      <div className={styles.form}>
        <Field
          label="Secret of the sender"
          hint="Stripe, Shopify and Slack make their own. Leave it empty, and Switchyard makes one."
          value={secret}
          onChange={setSecret}
          problem={detailOf(rotating.error, 'secret')}
          autoComplete="off"
          spellCheck="false"
        />
        <Choice isField label="The secret before" value={overlap} options={overlaps} onChoose={setOverlap} />
        {rotating.error && <ErrorBox error={rotating.error} />}
      </div>
      <DialogButtons>
        <Curl
          action={{
            method: 'POST',
            path: `/agents/${agentId}/rotate-secret`,
            body: {
              overlapSeconds: Number(overlap),
              ...(secret.trim() === '' ? {} : { secret: "the sender's secret" }),
            },
          }}
        />
        <Button onPress={onClose}>Keep the secret</Button>
        <Button kind="primary" busy={rotating.isPending} onPress={() => rotating.mutate()}>
          Change secret
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
