import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.ts'
import { lengthOfStep, shownResult, shownStep, type RecordedCall, type ShownStep } from '../../loop/shown-step.ts'
import { Step } from '../../loop/step.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import type { Run } from '../run.ts'

/** How much text a worker keeps, in characters. What is made of it takes about twice as much again. */
export const maxKeptCharacters = 16 * 1024 * 1024
/** How long steps are kept that nobody asks for. */
export const keptMs = 5 * 60_000

/**
 * Reads the steps of runs. A recorded step never changes, and a run asks for all of them at each step: a worker keeps
 * what it has read, and reads only what is new. The same step is the same object again, so that whatever is made of
 * it can be kept, too.
 */
export function createShownSteps({ database }: { database: Database }) {
  const kept = new LRUCache<string, ShownStep[]>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (steps) => steps.reduce((total, step) => total + lengthOfStep(step), 1),
    ttl: keptMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  })

  async function read(run: Run, after: number, resultBytes: number): Promise<ShownStep[]> {
    const [steps, called] = await Promise.all([
      stepsOf(database, run, after),
      callsOf(database, run, after, resultBytes),
    ])
    const calls = Map.groupBy(called, ({ step }) => step)
    return steps.map((step) => shownStep(step, calls.get(step.step) ?? [], run.shortenedThrough ?? 0))
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

/** Summaries stand in the opening, not among the steps. */
const stepsOf = (database: Database, { id: subjectId, steps }: Run, after: number) =>
  Step.query(database)
    .where({ subjectId })
    .where('step', '>', after)
    // What was recorded since the run was read may be read in part.
    .where('step', '<=', steps)
    .whereRaw(`outcome is distinct from 'summary'`)
    .select('step', 'answer', 'content', 'outcome', 'remark')
    .orderBy('step')

const callsOf = async (
  database: Database,
  { id: subjectId, steps, shortenedThrough }: Run,
  after: number,
  resultBytes: number,
) =>
  (await ToolCall.query(database)
    .where({ subjectId })
    .where('step', '>', after)
    .where('step', '<=', steps)
    .select('id', 'step', 'position', 'modelCallId', 'name', 'arguments', 'status')
    .select(...shownResult(shortenedThrough ?? 0, resultBytes))
    .orderBy(['step', 'position'])) as RecordedCall[]
