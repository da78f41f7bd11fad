import { problemInWords, type ErrorDetail } from '../errors.ts'
import type { Answer } from '../models/answer.ts'
import { judgeAnswer, type Verdict } from './judge-answer.ts'
import type { Outputs } from '../outputs/outputs.ts'
import { shortened } from '../text.ts'

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
