import { ModelError } from '../failures.ts'
import { saidIn, sentenceIn } from './said.ts'

/** The provider says that the prompt is longer than its model takes. */
export class PromptTooLong extends ModelError {
  /** How much of this prompt may be taken, as a part of it. */
  readonly part: number

  constructor(model: string, error: unknown) {
    const said = saidIn(error)
    super({
      message:
        `This is longer than the model ${model} takes, as its provider says. \`contextTokens\` of GET /models says how ` +
        'long a prompt this platform takes it for. Choose a model with a larger window, offer fewer tools, or send less.',
      retryable: false,
      isOfPrompt: true,
      privateDetail: `prompt longer than the model takes, status ${said?.status ?? 'none'}`,
      ...(said && { providerSaid: said.text }),
    })
    this.part = partOf(said ? sentenceIn(said) : '')
  }
}

/** Other refusals: of the key, the account or the model. */
const ofSomethingElse = new Set([401, 402, 403, 404, 408])

/** What providers and servers call it, anywhere in their answers, in lower case. */
const codes =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|max_prompt_tokens_exceeded|string_above_max_length|request_too_large/

/** How they say it, in lower case. */
const forms = [
  /payload too large|request entity too large|content too large/,
  /context[ _-]?(?:length|window|size|limit)\D{0,80}(?:exceed|too (?:long|large|small|many)|longer|larger|greater|overflow|reached|only|maximum)/,
  /(?:exceed\w*|maximum|max|longer than|larger than|beyond|over|overflow\w*|reached|fit (?:in|into|within)|than)\b.{0,60}context[ _-]?(?:length|window|size|limit)/,
  /(?:prompt|input|inputs|request|messages?|conversation|decoder prompt|text)\b[^.]{0,80}(?:is |are )?(?:too long|too large|longer than|exceed\w*)[^.]{0,80}(?:token|length|context|model|maximum|limit)/,
  /(?:prompt|input|inputs|request)\b.{0,20}(?:is )?too long/,
  /(?:too many|number of|count of) (?:input |prompt )?tokens/,
  /(?:input|prompt)[ _]tokens?\b.{0,40}(?:exceed|only supports|up to|limit)/,
  /input[ _](?:token|length)\b.{0,60}(?:exceed|only supports|up to|limit|should be)/,
  /maximum (?:prompt|input|context|model) length/,
  /exceeded model token limit|request too large for model/,
  /tokens? \+ .?max_new_tokens|`?inputs`? must have less than/,
]

/** An answer that may not be so long, or so many requests, is something else. */
const ofTheAnswer =
  /(?:completion|output) tokens|max_(?:completion_|output_)?tokens`?"?:? ?(?:is|must|should|cannot|\d)/
const ofATool = /\b(?:tools|functions)(?:\.|\[)\d|function_?declarations?\W{1,4}\d/
const ofTheRate = /rate.?limit|quota|requests per|tokens per min/

/** Whether the provider has refused a prompt because of its length. */
export function isTooLong(error: unknown): boolean {
  const said = saidIn(error)
  if (!said || ofSomethingElse.has(said.status ?? 0)) return false
  if (said.status === 413) return true
  const text = said.text.toLowerCase()
  const isSmallerNeeded = text.includes('request too large')
  if ((said.status === 429 || ofTheRate.test(text)) && !isSmallerNeeded) return false
  if (ofATool.test(text)) return false
  if (ofTheAnswer.test(text) && !/context|prompt/.test(text)) return false
  const sentence = sentenceIn(said).toLowerCase()
  return codes.test(text) || forms.some((form) => form.test(sentence))
}

const half = 0.5
/** Of the room that is stated, for an answer and because other prompts have other tokens. */
const reserve = 0.7

/** What was asked for and what is taken are the numbers of a sentence: `210000 tokens > 200000 maximum`. */
function partOf(sentence: string): number {
  const numbers = [...sentence.matchAll(/\d[\d,_]*\d/g)].map(([digits]) => Number(digits.replaceAll(/[,_]/g, '')))
  const counts = numbers.filter((count) => count >= 256 && count <= 1e9)
  const limit = limitIn(sentence)
  const asked = Math.max(...counts)
  if (limit === undefined || !(asked > limit)) return half
  return Math.max((limit / asked) * reserve, 0.02)
}

const limitForms = [
  /(?:maximum|max|limit|supports|up to|at most|less than|only|exceeds?|>|<=|cannot exceed|window|size|length)\D{0,50}?(\d[\d,_]*\d)/gi,
  /\((\d[\d,_]*\d) tokens\)/g,
]

/** The smallest number that is said to be a limit. */
function limitIn(sentence: string): number | undefined {
  const found = limitForms.flatMap((form) => [...sentence.matchAll(form)].map(([, digits = '']) => digits))
  const limits = found.map((digits) => Number(digits.replaceAll(/[,_]/g, ''))).filter((limit) => limit >= 256)
  return limits.length === 0 ? undefined : Math.min(...limits)
}
