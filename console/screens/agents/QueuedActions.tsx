import { useMutation } from '@tanstack/react-query'
import { client, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'

interface QueuedActionsProps {
  run: Pick<Api['RunSummary'], 'id' | 'status' | 'sequence' | 'cancelRequestedAt'>
  onChange: () => void
}

/** Takes a run out of the queue. */
export const QueuedActions = ({ run, onChange }: QueuedActionsProps) => {
  const path = { params: { path: { runId: run.id } } }
  const ending = useMutation({
    async mutationFn(how: 'cancel' | 'skip') {
      const { error } = await (how === 'cancel'
        ? client.POST('/runs/{runId}/cancel', path)
        : client.POST('/runs/{runId}/skip', path))
      if (error) throw error
      return how
    },
    onSuccess: (how) =>
      notify(
        'done',
        how === 'skip' ? `Run ${run.sequence} is skipped.` : `Cancellation of run ${run.sequence} is requested.`,
      ),
    onError: (error) => notify('problem', problemOf(error).sentence),
    onSettled: onChange,
  })
  const busy = (how: 'cancel' | 'skip') => ending.isPending && ending.variables === how
  return (
    <span>
      {run.status !== 'running' && (
        <Button
          kind="quiet"
          small
          busy={busy('skip')}
          aria-label={`Skip run ${run.sequence}`}
          onPress={() => ending.mutate('skip')}
        >
          Skip
        </Button>
      )}
      <Button
        kind="quiet"
        small
        busy={busy('cancel')}
        isDisabled={run.cancelRequestedAt !== null}
        aria-label={`Cancel run ${run.sequence}`}
        onPress={() => ending.mutate('cancel')}
      >
        Cancel
      </Button>
    </span>
  )
}
