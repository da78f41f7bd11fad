import { ModelError } from '../failures.ts'
import { providerErrorIn, messageIn } from './provider-error.ts'

export class PromptTooLong extends ModelError {
  readonly part: number

  constructor(model: string, error: unknown) {
    const rejection = providerErrorIn(error)
    super({
      message:
        `The provider of the model ${model} rejected the prompt because it is too long. \`contextTokens\` in GET /models ` +
        'shows the context window that this platform assumes. Choose a model with a larger window, use fewer tools, or send less.',
      retryable: false,
      isOfPrompt: true,
      privateDetail: `prompt longer than the model accepts, status ${rejection?.status ?? 'none'}`,
      ...(rejection && { providerSaid: rejection.text }),
    })
    this.part = partOf(rejection ? messageIn(rejection) : '')
  }
}

const ofSomethingElse = new Set([401, 402, 403, 404, 408])

/** Providers' codes for it, anywhere in their answers, in lower case. */
const codes =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|max_prompt_tokens_exceeded|request_too_large/

/** Providers' phrases for it, in lower case. */
const forms = [
  /payload too large|request entity too large|content too large/,
  /context[ _-]?(?:length|window|size|limit)\D{0,80}(?:exceed|too (?:long|large|small|many)|longer|larger|greater|overflow|reached|only|maximum)/,
  /(?:exceed\w*|maximum|max|longer than|larger than|beyond|over|overflow\w*|reached|fit (?:in|into|within)|than)\b.{0,60}context[ _-]?(?:length|window|size|limit)/,
  /(?:prompt|inputs?|messages|conversation)\b(?: \([^)]*\))?(?: is| are| was)? (?:too long|too large|longer than|exceed)/,
  // OpenAI, about one message.
  /'(?:prompt|instructions|input|(?:messages|input)\[\d+\]\.(?:content|output)[^']*)': string too long/,
  /(?:too many|number of|count of) (?:input |prompt )?tokens/,
  /(?:input|prompt)[ _]tokens?\b.{0,40}(?:exceed|only supports|up to|limit)/,
  /input[ _](?:token|length)\b.{0,60}(?:exceed|only supports|up to|limit|should be)/,
  /maximum (?:prompt|input|context|model) length/,
  /exceeded model token limit|request too large for model/,
  /tokens? \+ .?max_new_tokens|`?inputs`? must have less than/,
]

/** Refusals because of the answer's length or the number of requests. */
const ofTheAnswer =
  /(?:completion|output) tokens|max_(?:completion_|output_)?tokens`?"?:? ?(?:is|must|should|cannot|\d)/
const ofATool = /\b(?:tools|functions)(?:\.|\[)\d|function_?declarations?\W{1,4}\d/
/** A member of the request has its own limit. */
const ofAMember = /\b(?:fields?|header|property|attribute|title|metadata|description)\b/
const ofTokens = /token|context/
const ofTheRate = /rate.?limit|quota|requests per|tokens per min/

export function isTooLong(error: unknown): boolean {
  const rejection = providerErrorIn(error)
  if (!rejection || ofSomethingElse.has(rejection.status ?? 0)) return false
  if (rejection.status === 413) return true
  const text = rejection.text.toLowerCase()
  const isSmallerNeeded = text.includes('request too large')
  if ((rejection.status === 429 || ofTheRate.test(text)) && !isSmallerNeeded) return false
  if (ofATool.test(text)) return false
  if (ofTheAnswer.test(text) && !/context|prompt/.test(text)) return false
  const sentence = messageIn(rejection).toLowerCase()
  if (codes.test(text)) return true
  return forms.some((form) => form.test(sentence)) && (ofTokens.test(sentence) || !ofAMember.test(sentence))
}

const half = 0.5
/** The usable share of the stated limit: it leaves room for an answer and for denser tokens. */
const reserve = 0.7

/** The strongest cut at a time, because the number may not be a limit. */
const leastPart = 0.25

/** Requested and accepted sizes in a message: `210000 tokens > 200000 maximum`. */
function partOf(sentence: string): number {
  const sizes = sizesIn(sentence)
  const limit = Math.min(...limitsIn(sentence).filter((count) => sizes.includes(count)))
  const asked = Math.max(...sizes)
  return asked > limit ? Math.max((limit / asked) * reserve, leastPart) : half
}

const numbers = /\d[\d,_]*\d/g
const countOf = (digits: string): number => Number(digits.replaceAll(/[,_]/g, ''))

/** Words that mark a number as a size, directly before or after it. */
const sizeBefore = /(?:token|context|length)[^.;]*$/i
const sizeAfter = /^\)?[ `]*(?:\w+[` ]+)?tokens?\b/i
/** The text between a size and the next number. */
const another = /^[\s+<>=,)]+$|(?:supports?|up to|received|requested|given|maximum|limit)[^\d;]*$/i
const ofAnId = /\b(?:request|req|id|trace|code|status)[\W_]*$/i

/** The numbers in a message that are sizes of prompts, not of lines, times or requests. */
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

const limitsIn = (sentence: string): number[] =>
  limitForms.flatMap((form) => [...sentence.matchAll(form)].map(([, digits = '']) => countOf(digits)))
