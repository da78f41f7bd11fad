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
        `The provider of the model ${model} rejected the prompt because it is too long. \`contextTokens\` in GET /models ` +
        'shows the context window that this platform assumes. Choose a model with a larger window, offer fewer tools, or send less.',
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
  /context_length_exceeded|exceed_context_size|context_window_exceeded|max_prompt_tokens_exceeded|request_too_large/

/** How they say it, in lower case. */
const forms = [
  /payload too large|request entity too large|content too large/,
  /context[ _-]?(?:length|window|size|limit)\D{0,80}(?:exceed|too (?:long|large|small|many)|longer|larger|greater|overflow|reached|only|maximum)/,
  /(?:exceed\w*|maximum|max|longer than|larger than|beyond|over|overflow\w*|reached|fit (?:in|into|within)|than)\b.{0,60}context[ _-]?(?:length|window|size|limit)/,
  /(?:prompt|inputs?|messages|conversation)\b(?: \([^)]*\))?(?: is| are| was)? (?:too long|too large|longer than|exceed)/,
  // OpenAI: of one message.
  /'(?:prompt|instructions|input|(?:messages|input)\[\d+\]\.(?:content|output)[^']*)': string too long/,
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
/** A member of the request has a limit of its own. */
const ofAMember = /\b(?:fields?|header|property|attribute|title|metadata|description)\b/
const ofTokens = /token|context/
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
  if (codes.test(text)) return true
  return forms.some((form) => form.test(sentence)) && (ofTokens.test(sentence) || !ofAMember.test(sentence))
}

const half = 0.5
/** Of the room that is stated, for an answer and because other prompts have other tokens. */
const reserve = 0.7

/** No prompt is cut to less at one time: what is read here may be no limit. */
const leastPart = 0.25

/** What was asked for and what is taken are the sizes in a sentence: `210000 tokens > 200000 maximum`. */
function partOf(sentence: string): number {
  const sizes = sizesIn(sentence)
  const limit = Math.min(...limitsIn(sentence).filter((count) => sizes.includes(count)))
  const asked = Math.max(...sizes)
  return asked > limit ? Math.max((limit / asked) * reserve, leastPart) : half
}

const numbers = /\d[\d,_]*\d/g
const countOf = (digits: string): number => Number(digits.replaceAll(/[,_]/g, ''))

/** Words that say that a number is a size: right before it, or right after it. */
const sizeBefore = /(?:token|context|length)[^.;]*$/i
const sizeAfter = /^\)?[ `]*(?:\w+[` ]+)?tokens?\b/i
/** What connects a number to a size before it. */
const another = /^[\s+<>=,)]+$|(?:supports?|up to|received|requested|given|maximum|limit)[^\d;]*$/i
const ofAnId = /\b(?:request|req|id|trace|code|status)[\W_]*$/i

/** The numbers of a sentence that are sizes of prompts, and not those of lines, times or requests. */
function sizesIn(sentence: string): number[] {
  const sizes: number[] = []
  let [end, isSize] = [0, false]
  for (const { 0: digits, index } of sentence.matchAll(numbers)) {
    const between = sentence.slice(end, index)
    end = index + digits.length
    const isNamed = sizeBefore.test(between) || (isSize && another.test(between))
    isSize = sizeAfter.test(sentence.slice(end, end + 40)) || (isNamed && !ofAnId.test(between))
    if (isSize) sizes.push(countOf(digits))
  }
  return sizes.filter((count) => count >= 256 && count <= 1e9)
}

const limitForms = [
  /(?:maximum|max|limit|supports|up to|at most|less than|only|exceeds?|>|<=|cannot exceed|window|size|length)\D{0,50}?(\d[\d,_]*\d)/gi,
  /\((\d[\d,_]*\d) tokens\)/g,
]

/** The numbers that are said to be limits. */
const limitsIn = (sentence: string): number[] =>
  limitForms.flatMap((form) => [...sentence.matchAll(form)].map(([, digits = '']) => countOf(digits)))
