import { CodedError, problemInWords, type ErrorDetail } from '../errors.ts'
import type { Answer } from '../models/answer.ts'
import type { StepProblem } from '../models/prompt-format.ts'
import type { Outputs } from '../outputs/outputs.ts'
import { shortened } from '../text.ts'

/** Why the answer of a step does not count as one, or that it is a summary; null if it counts. */
export type StepOutcome = StepProblem | 'summary' | null

/** How many times in a row a model is asked to correct its answer. */
const maxCorrections = 1

/** Why an answer is rejected, with the details for the model; undefined if it is accepted. */
export interface Verdict {
  outcome: StepProblem
  remark: string | null
}

/**
 * Whether another model is asked, after so many answers in a row that were rejected. Another one would not make an answer
 * fit a schema.
 */
export const isGivenUp = (outcome: StepProblem, corrections: number): boolean =>
  outcome === 'refused' || (outcome !== 'off_schema' && corrections > maxCorrections)

/** What is recorded of how an answer was judged. */
export const outcomeOf = ({ isSummary, verdict }: { isSummary: boolean; verdict: Verdict | undefined }): StepOutcome =>
  isSummary ? 'summary' : (verdict?.outcome ?? null)

/**
 * Whether a run or an answer is over after a step without calls. Another model that is asked from then on begins anew. One
 * that refused is not asked again.
 */
export const isOver = (
  outcome: StepOutcome,
  { corrections, isOtherAsked }: { corrections: number | null; isOtherAsked: boolean },
): boolean =>
  outcome === null ||
  (outcome !== 'summary' && !isOtherAsked && (outcome === 'refused' || (corrections ?? 0) > maxCorrections))

/** The failure of a model that has answered, although not with anything that counts. */
export const noAnswer = (): CodedError =>
  new CodedError('MODEL_ERROR', { message: 'The AI provider returned an empty response.', retryable: true })

/** Judges an answer. An answer with calls is always accepted: a problem with a call becomes its result. */
export function judgeAnswer({ calls, finish, text }: Pick<Answer, 'calls' | 'finish' | 'text'>): Verdict | undefined {
  if (calls.length > 0) return undefined
  if (finish === 'content-filter') return { outcome: 'refused', remark: null }
  if (finish === 'length') return { outcome: 'truncated', remark: null }
  if (text.trim() === '') return { outcome: 'empty', remark: null }
  return undefined
}

/** What was made of an answer: why it does not count, or the value that its run has to have. */
export interface Judgement {
  verdict: Verdict | undefined
  /** JSON text; null if no output schema applies. */
  output: string | null
}

/** What an answer has to be. */
interface Wanted {
  outputs: Pick<Outputs, 'read'>
  schema: object | undefined
  ownerId: string
  /** Whether a reader has the words already. Then they count, even if they were cut off at the limit. */
  isRead: boolean
}

/** Judges an answer. That may take a while if it has to fit a schema, so it is done before anything is locked. */
export async function judge(
  answer: Pick<Answer, 'calls' | 'finish' | 'text'>,
  { outputs, schema, ownerId, isRead }: Wanted,
): Promise<Judgement> {
  const verdict = isRead && answer.text.trim() !== '' ? undefined : judgeAnswer(answer)
  if (verdict || !schema || answer.calls.length > 0) return { verdict, output: null }
  const read = await outputs.read(schema, answer.text, ownerId)
  if ('output' in read) return { verdict: undefined, output: read.output }
  return { verdict: { outcome: 'off_schema', remark: inWords(read.problems) }, output: null }
}

/** Enough to mend an answer; more would only make the prompt longer. */
const maxProblems = 10
const maxCharacters = 300

const inWords = (problems: ErrorDetail[]): string => {
  const first = problems.slice(0, maxProblems).map((problem) => shortened(problemInWords(problem), maxCharacters))
  const more = problems.length - first.length
  return `${first.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
