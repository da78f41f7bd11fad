import type { Database } from '../../database/database.ts'
import type { RunTranscript } from '../../loop/fit-transcript.ts'
import { Step } from '../../loop/step.ts'
import { shownSummary } from '../../loop/summary-prompt.ts'
import type { Run } from '../run.ts'

/** How many of a run's steps the model does not see, and the newest summary of them; undefined if it sees all. */
export async function readLeftOut(
  database: Database,
  { id: subjectId, leftOutThrough }: Pick<Run, 'id' | 'leftOutThrough'>,
  { summarizes, resultBytes }: { summarizes: boolean; resultBytes: number },
): Promise<RunTranscript['leftOut']> {
  if (!leftOutThrough) return undefined
  if (!summarizes) return { steps: leftOutThrough }
  const summaries = Step.query(database).where({ subjectId, outcome: 'summary' })
  const among = await summaries.clone().where('step', '<=', leftOutThrough).resultSize()
  // A model that was asked for a summary may have answered nothing; then the one before still says something.
  const newest = await summaries.where('answer', '<>', '').orderBy('step', 'desc').select('answer').first()
  const summary = newest && shownSummary(newest.answer, resultBytes)
  // Summaries are steps of their own, but no answers of the run.
  return { steps: leftOutThrough - among, ...(newest && { summary }) }
}
