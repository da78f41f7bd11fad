import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { client } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { useOwner } from '../../session/workspace.ts'
import { ReplayDialog } from './ReplayDialog.tsx'

/** What can be done with a run in its state: cancel, skip or replay. */
export const RunActions = ({ run, onChange }: { run: Api['Run']; onChange: () => void }) => {
  const owner = useOwner()
  const [isReplaying, setReplaying] = useState(false)
  const path = { params: { path: { runId: run.id } } }
  const ending = useMutation({
    async mutationFn(how: 'cancel' | 'skip') {
      const { error } = await (how === 'cancel'
        ? client.POST('/runs/{runId}/cancel', path)
        : client.POST('/runs/{runId}/skip', path))
      if (error) throw error
      return how
    },
    onSuccess: (how) => notify('done', how === 'cancel' ? 'Cancellation is requested.' : 'The run is skipped.'),
    onError: (error) => notify('problem', problemOf(error).sentence),
    onSettled: onChange,
  })
  const isOver = run.endedAt !== null
  const isCancelling = run.cancelRequestedAt !== null
  return (
    <>
      <Curl
        action={
          isOver || !owner.may('use')
            ? { method: 'GET', path: `/runs/${run.id}` }
            : { method: 'POST', path: `/runs/${run.id}/cancel` }
        }
      />
      {owner.may('use') && !isOver && (run.status === 'queued' || run.status === 'waiting') && (
        <Button busy={ending.isPending} onPress={() => ending.mutate('skip')}>
          Skip run
        </Button>
      )}
      {owner.may('use') && !isOver && (
        <Button kind="danger" isDisabled={isCancelling} busy={ending.isPending} onPress={() => ending.mutate('cancel')}>
          {isCancelling ? 'Cancelling' : 'Cancel run'}
        </Button>
      )}
      {owner.may('use') && isOver && <Button onPress={() => setReplaying(true)}>Replay</Button>}
      {isReplaying && <ReplayDialog run={run} onClose={() => setReplaying(false)} />}
    </>
  )
}
