import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, client, type Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Check } from '../../../design/Check.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'
import { notify } from '../../../design/notices.ts'
import { previewInWords, replayed, replaysInWords, type ReplayFilter, type Replays } from '../../../lists/replays.ts'
import { runLists } from '../../../lists/use-run-list.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { LeftOut } from './LeftOut.tsx'

interface ReplayDialogProps {
  agentId: string
  name: string
  filter: ReplayFilter
  onClose: () => void
}

/** Counts what a replay of failed deliveries would start, and starts it. */
export const ReplayDialog = ({ agentId, name, filter, onClose }: ReplayDialogProps) => {
  const queries = useQueryClient()
  const [withOnce, setWithOnce] = useState(false)
  const [work, setWork] = useState<{ isRunning: boolean; replays: Replays | undefined; error?: unknown }>()
  const isStopped = useRef(false)
  // A page that is left stops after the request under way.
  useEffect(() => {
    isStopped.current = false
    return () => void (isStopped.current = true)
  }, [])
  const path = { agentId }
  const query = { ...filter, ...(withOnce ? { repeatOnceCalls: 'true' as const } : {}) }
  const body = { ...filter, ...(withOnce ? { repeatOnceCalls: true } : {}) }
  const preview = useQuery({
    ...api.queryOptions('get', '/agents/{agentId}/replay', { params: { path, query } }),
    enabled: work === undefined,
  })

  const start = async () => {
    let replays: Replays | undefined
    setWork({ isRunning: true, replays })
    try {
      for await (replays of replayed(body, sendFor(agentId, crypto.randomUUID()))) {
        setWork({ isRunning: true, replays })
        if (isStopped.current) break
      }
      setWork({ isRunning: false, replays })
      if (replays) notify(replays.count > 0 ? 'done' : 'problem', replaysInWords(replays))
    } catch (error) {
      setWork({ isRunning: false, replays, error })
    }
    await queries.invalidateQueries({ queryKey: runLists })
  }

  return (
    <Dialog title={`Replay failed deliveries of ${name}`} isOpen {...(work?.isRunning ? {} : { onClose })}>
      {work === undefined && (
        <>
          {preview.data && <Preview preview={preview.data} />}
          {preview.error && <ErrorBox error={preview.error} onRetry={() => void preview.refetch()} />}
          {preview.isPending && <Skeleton lines={3} />}
          {(withOnce || (preview.data?.leftOut.onceCalls ?? 0) > 0) && (
            <Check isSelected={withOnce} onChange={setWithOnce}>
              Include deliveries with a <code>once</code> call that may have succeeded. The call could be made again.
            </Check>
          )}
          <DialogButtons>
            <Curl action={{ method: 'POST', path: `/agents/${agentId}/replay`, body }} />
            <Button onPress={onClose}>Close</Button>
            <Button kind="primary" isDisabled={!preview.data || isNothing(preview.data)} onPress={() => void start()}>
              Replay
            </Button>
          </DialogButtons>
        </>
      )}
      {work !== undefined && (
        <>
          <p role="status">{replaysInWords(work.replays)}</p>
          {work.replays?.stopped && <p>{work.replays.stopped}</p>}
          {work.error !== undefined && <ErrorBox error={work.error} />}
          <DialogButtons>
            {work.isRunning ? (
              <Button onPress={() => void (isStopped.current = true)}>Stop</Button>
            ) : (
              <Button kind="primary" autoFocus onPress={onClose}>
                Close
              </Button>
            )}
          </DialogButtons>
        </>
      )}
    </Dialog>
  )
}

const Preview = ({ preview }: { preview: Api['BulkReplay'] }) => (
  <>
    <p>
      {previewInWords(preview)} A replay uses the original payload and the agent's current configuration, and goes to
      the end of the queue.
    </p>
    <LeftOut leftOut={preview.leftOut} />
  </>
)

/** Later parts may have deliveries to replay even if the first has none. */
const isNothing = ({ replays, next }: Api['BulkReplay']): boolean => replays === 0 && next === null

const sendFor = (agentId: string, key: string) => async (body: Api['ReplayDeliveriesRequest']) => {
  const params = { path: { agentId }, header: { 'Idempotency-Key': key } }
  const { data, error } = await client.POST('/agents/{agentId}/replay', { params, body })
  if (data) return data
  throw error
}
