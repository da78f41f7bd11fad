import type { Database } from '../database/database.ts'
import { maxResultBytes } from '../models/prompt.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { shownResult, type RecordedCall } from './shown-step.ts'
import { Step } from './step.ts'

/** More than any run or answer has. */
const mostSteps = 2 ** 31 - 1

/** Which steps: those after one and up to one. Their results are cut as the model is shown them. */
interface Which {
  after?: number
  through?: number
  shortenedThrough?: number
  resultBytes?: number
}

/**
 * Reads the recorded steps of runs or answers that their models are shown, in order, each with its calls. Summaries stand
 * in the opening, not among the steps.
 */
export async function recordedSteps(
  database: Database,
  subjectIds: string[],
  { after = 0, through = mostSteps, shortenedThrough = 0, resultBytes = maxResultBytes }: Which = {},
): Promise<{ step: Step; calls: RecordedCall[] }[]> {
  const [steps, calls] = await Promise.all([
    Step.query(database)
      .whereIn('subjectId', subjectIds)
      .whereBetween('step', [after + 1, through])
      .whereRaw(`outcome is distinct from 'summary'`)
      .select('subjectId', 'step', 'answer', 'content', 'outcome', 'remark')
      .orderBy(['subjectId', 'step']),
    ToolCall.query(database)
      .whereIn('subjectId', subjectIds)
      .whereBetween('step', [after + 1, through])
      .select('subjectId', 'id', 'step', 'position', 'modelCallId', 'name', 'arguments', 'status')
      .select(...shownResult(shortenedThrough, resultBytes))
      .orderBy(['subjectId', 'step', 'position']),
  ])
  const of = Map.groupBy(calls, ({ subjectId, step }) => `${subjectId} ${step}`)
  return steps.map((step) => ({ step, calls: of.get(`${step.subjectId} ${step.step}`) ?? [] }))
}
