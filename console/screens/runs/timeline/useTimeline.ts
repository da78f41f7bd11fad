import { useEffect, useState, useSyncExternalStore } from 'react'
import { client } from '../../../api/client.ts'
import { followRun } from '../../../api/stream.ts'
import { createBuffer, type Snapshot } from './buffer.ts'
import { together } from './together.ts'

const againMs = 2000
const tellMs = 200

/**
 * The events of a run as they happen. `onChange` gets the number of the last event soon after it arrived. If the API
 * refuses the stream, for example because the login expired, a usual request renews the login, and the stream continues.
 */
export function useTimeline(runId: string, onChange: (last: number) => void): Snapshot {
  const [buffer] = useState(() => createBuffer((draw) => requestAnimationFrame(draw)))
  useEffect(() => {
    let isOver = false
    let stop = () => {}
    const tell = together<number>(tellMs, (last) => {
      if (!isOver) onChange(last)
    })
    const follow = (): void => {
      if (isOver) return
      stop = followRun(runId, buffer.last(), {
        onEvent(event) {
          buffer.add(event)
          tell(event.number)
        },
        onWords: buffer.addWords,
        onRefused: () => void again(),
      })
    }
    const again = async (): Promise<void> => {
      const { data } = await client
        .GET('/runs/{runId}', { params: { path: { runId } } })
        .catch(() => ({ data: undefined }))
      // The API refuses a stream of a run that has ended and of which everything was sent.
      if (data?.endedAt && buffer.last() >= data.events) return
      setTimeout(follow, againMs)
    }
    follow()
    return () => {
      isOver = true
      stop()
    }
  }, [runId, buffer, onChange])
  return useSyncExternalStore(buffer.subscribe, buffer.get)
}
