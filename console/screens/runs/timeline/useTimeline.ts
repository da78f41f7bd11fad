import { useEffect, useState, useSyncExternalStore } from 'react'
import { followRun, readHistory, type RunEvent } from '../../../api/stream.ts'
import { createBuffer, type Snapshot } from './buffer.ts'
import { together } from './together.ts'

const againMs = 2000
const tellMs = 200
/**
 * The events of a run as they happen. `onChange` gets the number of the last event soon after it arrived. If the API
 * refuses the stream, for example because the login expired, reading what was missed renews the login first.
 */
export function useTimeline(runId: string, onChange: (last: number) => void): Snapshot {
  const [buffer] = useState(() => createBuffer((draw) => requestAnimationFrame(draw)))
  useEffect(() => {
    const over = new AbortController()
    let stop = () => {}
    const tell = together<number>(tellMs, (last) => {
      if (!over.signal.aborted) onChange(last)
    })
    const add = (event: RunEvent): void => {
      buffer.add(event)
      tell(event.number)
    }
    const again = (): void => void setTimeout(() => void follow(), againMs)
    async function follow(): Promise<void> {
      if (over.signal.aborted) return
      const isRead = await readHistory(runId, buffer.last, add, over.signal)
      if (over.signal.aborted || buffer.isWhole()) return
      if (isRead) stop = followRun(runId, buffer.last(), { onEvent: add, onWords: buffer.addWords, onRefused: again })
      else again()
    }
    void follow()
    return () => {
      over.abort()
      stop()
    }
  }, [runId, buffer, onChange])
  return useSyncExternalStore(buffer.subscribe, buffer.get)
}
