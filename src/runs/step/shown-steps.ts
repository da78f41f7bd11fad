import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.ts'
import { recordedSteps } from '../../loop/recorded-steps.ts'
import { shownStep } from '../../loop/shown-step.ts'
import { lengthOfStep, type ShownStep } from '../../loop/transcript-step.ts'
import type { Run } from '../run.ts'

/** How much text a worker keeps, in characters. What is made of it takes about twice as much again. */
const maxSize = 16 * 1024 * 1024
/** How long is kept what nobody asks for. */
const ttl = 5 * 60_000

/** What a worker keeps of runs, because each step asks for it. */
export const createKept = <Kept extends object>(sizeCalculation: (kept: Kept) => number) =>
  new LRUCache<string, Kept>({ maxSize, sizeCalculation, ttl, ttlAutopurge: true, updateAgeOnGet: true })

/**
 * Reads the steps of runs. A recorded step never changes, and a run asks for all of them at each step: a worker keeps
 * what it has read, and reads only what is new. The same step is the same object again, so that whatever is made of
 * it can be kept, too.
 */
export function createShownSteps({ database }: { database: Database }) {
  const kept = createKept<ShownStep[]>((steps) => steps.reduce((total, step) => total + lengthOfStep(step), 1))

  /** What was recorded since the run was read may be read in part, so nothing is read of it. */
  async function read(run: Run, after: number, resultBytes: number): Promise<ShownStep[]> {
    const shortenedThrough = run.shortenedThrough ?? 0
    const which = { after, through: run.steps, shortenedThrough, resultBytes }
    const recorded = await recordedSteps(database, [run.id], which)
    return recorded.map(({ step, calls }) => shownStep(step, calls, shortenedThrough))
  }

  /** The steps up to the run's last one, without those that are left out, and with long results cut. */
  return async (run: Run, resultBytes: number): Promise<ShownStep[]> => {
    const { id, epoch, leftOutThrough, shortenedThrough } = run
    const key = [id, epoch, leftOutThrough, shortenedThrough, resultBytes].join(' ')
    const known = kept.get(key) ?? []
    const last = known.at(-1)?.step ?? leftOutThrough ?? 0
    if (last >= run.steps) return known
    const steps = [...known, ...(await read(run, last, resultBytes))]
    if (steps.length > known.length) kept.set(key, steps)
    return steps
  }
}
