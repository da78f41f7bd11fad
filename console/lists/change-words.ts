import { countInWords } from '../parts/format.ts'
import type { Progress, Way } from './change-runs.ts'

/** The words of a change of several runs. */
export const changeWords = {
  cancel: {
    title: 'Cancel runs',
    done: 'cancelled',
    what: 'Queued runs end immediately, and runs in progress end within ten seconds. Tool calls that were sent are not undone.',
    others: 'Runs that have ended stay as they are.',
    keep: 'Keep the runs',
  },
  skip: {
    title: 'Skip runs',
    done: 'skipped',
    what: 'Queued and waiting runs end, so that the next runs of their agents start. You can replay them later.',
    others: 'Runs that are in progress or have ended stay as they are.',
    keep: 'Keep the runs',
  },
} as const satisfies Record<Way, object>

/** What will happen to chosen runs. */
export function chosenInWords(way: Way, affected: number, chosen: number): string {
  const { done, others } = changeWords[way]
  const will = `${countInWords(affected, 'run')} will be ${done}.`
  return affected === chosen ? will : `${will} ${others}`
}

/** What a change has done so far. */
export function progressInWords(way: Way, { changed, refused }: Pick<Progress, 'changed' | 'refused'>): string {
  const done = `${countInWords(changed, 'run')} ${changeWords[way].done}`
  return refused.length === 0 ? `${done}.` : `${done}, ${countInWords(refused.length, 'run')} not changed.`
}

/** The codes of refusals with their counts, the most frequent first. */
export function refusalsByCode(refused: Progress['refused']): { code: string; count: number }[] {
  const counts = Map.groupBy(refused, ({ code }) => code)
  return [...counts]
    .map(([code, runs]) => ({ code, count: runs.length }))
    .toSorted((one, other) => other.count - one.count)
}
