import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { Field } from '../../design/Field.tsx'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { useKeptText } from '../../parts/useKeptText.ts'
import { useOwner } from '../../session/workspace.ts'
import { replayBody } from './replay-body.ts'
import styles from './Run.module.css'

interface ReplayDialogProps {
  run: Api['Run']
  onClose: () => void
}

/** Starts a run with the same input or an edited one, and opens both side by side. */
export const ReplayDialog = ({ run, onClose }: ReplayDialogProps) => {
  const { data, error } = useQuery(
    api.queryOptions('get', '/runs/{runId}/events', {
      params: { path: { runId: run.id }, query: { after: 0, limit: 1 } },
    }),
  )
  const accepted = data?.items[0]?.data as { payload?: unknown } | undefined
  return (
    <Dialog title={`Replay #${run.sequence}`} isOpen onClose={onClose} wide>
      {error ? (
        <ErrorBox error={error} />
      ) : accepted ? (
        <ReplayForm run={run} input={accepted.payload ?? null} onClose={onClose} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Dialog>
  )
}

const ReplayForm = ({ run, input, onClose }: ReplayDialogProps & { input: unknown }) => {
  const owner = useOwner()
  const navigate = useNavigate()
  const wasText = typeof input === 'string'
  const original = input === null ? '' : wasText ? input : JSON.stringify(input, null, 2)
  const [text, setText] = useKeptText(`replay ${run.id}`, original)
  const edited = replayBody(run, original, text, wasText)
  const replaying = useMutation({
    async mutationFn() {
      if ('problem' in edited) return
      const request = { params: { path: { runId: run.id } }, ...(edited.body ? { body: edited.body } : {}) }
      const { data, error } = await client.POST('/runs/{runId}/replay', request)
      if (!data) throw error
      await navigate(to.compare(owner.address, run.id, data.id))
    },
  })
  return (
    <div className={styles.form}>
      <p>
        The new run uses the agent as it is now. Tools are called again.
        {run.trigger === 'webhook' ? ' It joins the end of the queue.' : ' The agent must be idle.'}
      </p>
      {input !== null && (
        <Field
          label={run.trigger === 'webhook' ? 'Payload' : 'Input'}
          lines={14}
          code
          value={text}
          onChange={setText}
          problem={'problem' in edited ? edited.problem : undefined}
        />
      )}
      {replaying.error && <ErrorBox error={replaying.error} />}
      <DialogButtons>
        <Curl
          action={{
            method: 'POST',
            path: `/runs/${run.id}/replay`,
            ...('body' in edited && edited.body ? { body: edited.body } : {}),
          }}
        />
        <Button onPress={onClose}>Close</Button>
        <Button
          kind="primary"
          isDisabled={'problem' in edited}
          busy={replaying.isPending}
          onPress={() => replaying.mutate()}
        >
          {text === original ? 'Replay' : 'Replay with the edited input'}
        </Button>
      </DialogButtons>
    </div>
  )
}
