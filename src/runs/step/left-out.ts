import type { Database } from '../../database/database.ts'
import type { Transcript } from '../../models/prompt.ts'
import { Step } from '../../loop/step.ts'
import type { Run } from '../run.ts'
import { firstBytes } from '../../text.ts'

/** How many of a run's steps the model does not see, and the newest summary of them; undefined if it sees all. */
export async function readLeftOut(
  database: Database,
  { id: subjectId, leftOutThrough }: Pick<Run, 'id' | 'leftOutThrough'>,
  { summarizes, summaryBytes }: { summarizes: boolean; summaryBytes: number },
): Promise<Transcript['leftOut']> {
  if (!leftOutThrough) return undefined
  if (!summarizes) return { steps: leftOutThrough }
  const summaries = Step.query(database).where({ subjectId, outcome: 'summary' })
  const among = await summaries.clone().where('step', '<=', leftOutThrough).resultSize()
  // A model that was asked for a summary may have answered nothing; then the one before still says something.
  const newest = await summaries.where('answer', '<>', '').orderBy('step', 'desc').select('answer').first()
  // Models do not always keep to the length that they are asked for.
  const summary = newest && firstBytes(newest.answer, summaryBytes).toString()
  // Summaries are steps of their own, but no answers of the run.
  return { steps: leftOutThrough - among, ...(newest && { summary }) }
}
