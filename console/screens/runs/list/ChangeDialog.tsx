import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'
import { notify } from '../../../design/notices.ts'
import { affectedBy, changeRuns, type Progress, type Target, type Way } from '../../../lists/change-runs.ts'
import { changeWords, chosenInWords, progressInWords, refusalsByCode } from '../../../lists/change-words.ts'
import type { ListedRun } from '../../../lists/run-list.ts'
import { runLists } from '../../../lists/use-run-list.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'

interface ChangeDialogProps {
  way: Way
  target: Target
  /** The chosen runs, as far as they are in the list. */
  runs: readonly ListedRun[]
  /** The filters in words, for all that match. */
  words: string
  onClose: (isDone: boolean) => void
}

type Stage =
  | { kind: 'asks' }
  | { kind: 'works'; progress: Progress | undefined }
  | { kind: 'ended'; progress: Progress | undefined; error: unknown }

/** Says what a change of several runs will do, does it, and shows how far it is and what was refused. */
export const ChangeDialog = ({ way, target, runs, words, onClose }: ChangeDialogProps) => {
  const queries = useQueryClient()
  const [stage, setStage] = useState<Stage>({ kind: 'asks' })
  const isStopped = useRef(false)
  // A page that is left stops after the request under way.
  useEffect(() => {
    isStopped.current = false
    return () => void (isStopped.current = true)
  }, [])
  const { title, what, keep, done } = changeWords[way]

  const work = async () => {
    let progress: Progress | undefined
    setStage({ kind: 'works', progress })
    try {
      for await (progress of changeRuns(target, sendFor(way))) {
        setStage({ kind: 'works', progress })
        if (isStopped.current) break
      }
      setStage({ kind: 'ended', progress, error: undefined })
      if (progress) notify(progress.changed > 0 ? 'done' : 'problem', progressInWords(way, progress))
    } catch (error) {
      setStage({ kind: 'ended', progress, error })
    }
    await queries.invalidateQueries({ queryKey: runLists })
  }

  const affected = affectedBy(way, runs)
  return (
    <Dialog
      title={title}
      isOpen
      {...(stage.kind === 'works' ? {} : { onClose: () => onClose(stage.kind === 'ended') })}
    >
      {stage.kind === 'asks' && (
        <>
          <p>
            {'filter' in target ? matchingInWords(words, done) : chosenInWords(way, affected, target.runIds.length)}
          </p>
          <p>{what}</p>
          <DialogButtons>
            <Curl action={{ method: 'POST', path: `/runs/${way}`, body: firstBodyOf(target) }} />
            <Button onPress={() => onClose(false)}>{keep}</Button>
            <Button kind="danger" isDisabled={'runIds' in target && affected === 0} onPress={() => void work()}>
              {'filter' in target ? `${title} that match` : title}
            </Button>
          </DialogButtons>
        </>
      )}
      {stage.kind !== 'asks' && <Done way={way} progress={stage.progress} />}
      {stage.kind === 'works' && (
        <DialogButtons>
          <Button onPress={() => void (isStopped.current = true)}>Stop</Button>
        </DialogButtons>
      )}
      {stage.kind === 'ended' && (
        <>
          {stage.error !== undefined && <ErrorBox error={stage.error} />}
          {stage.progress?.more && <p>It stopped before all runs were tried.</p>}
          <DialogButtons>
            <Button kind="primary" autoFocus onPress={() => onClose(true)}>
              Close
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  )
}

const untouched: Progress = { changed: 0, refused: [], more: true }

const Done = ({ way, progress = untouched }: { way: Way; progress: Progress | undefined }) => (
  <div role="status">
    <p>{progressInWords(way, progress)}</p>
    <ul>
      {refusalsByCode(progress.refused).map(({ code, count }) => (
        <li key={code}>
          <code>{code}</code> {countInWords(count, 'run')}
        </li>
      ))}
    </ul>
  </div>
)

const matchingInWords = (words: string, done: string): string =>
  words === '' ? `All unfinished runs will be ${done}.` : `All unfinished runs that match (${words}) will be ${done}.`

/** A request names at most a hundred runs. */
const firstBodyOf = (target: Target): unknown => ('filter' in target ? target : { runIds: target.runIds.slice(0, 100) })

const sendFor = (way: Way) => async (body: { runIds: string[] } | { filter: object }) => {
  const { data, error } = await client.POST(way === 'cancel' ? '/runs/cancel' : '/runs/skip', { body })
  if (data) return data
  throw error
}
