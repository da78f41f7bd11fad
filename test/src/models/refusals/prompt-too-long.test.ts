import test from 'ava'
import { BrokenAnswer } from '../../../../src/models/failures.ts'
import { isTooLong, PromptTooLong } from '../../../../src/models/refusals/prompt-too-long.ts'
import { refusalOf } from './refusal-of.ts'

/** What providers and servers say of a prompt that is too long, and which part of it may be taken next. */
const sentences: [message: string, part: number][] = [
  ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 0.64],
  ['maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages)', 0.64],
  ['request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it', 0.32],
  ['prompt is too long: 210000 tokens > 200000 maximum', 0.67],
  ['input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length', 0.66],
  ['The decoder prompt (length 9000) is longer than the maximum model length of 8192.', 0.64],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 0.61],
  ['the input token count is 40000 but model only supports up to 32768. Reduce the input token count', 0.57],
  ['Prompt contains 41213 tokens and 0 draft tokens, too large for model with 32768 maximum context length', 0.5],
  ['Input is too long for requested model.', 0.5],
  ['Too many input tokens. Max input tokens: 300000, request input token count: 310000 ', 0.68],
  ['Number of input tokens exceeds maximum length. Please update the input to try again.', 0.5],
  ['`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`', 0.57],
  ['`inputs` must have less than 4096 tokens. Given: 5000', 0.57],
  ['Trying to keep the first 5000 tokens. However, the model is loaded with context length of only 4096 tokens', 0.57],
  ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 0.66],
  ['Your request exceeded model token limit: 8192 (requested: 9000)', 0.64],
  ['Your input exceeds the context window of this model. Please adjust your input and try again.', 0.5],
  ['Range of input length should be [1, 30720]', 0.5],
  ['Prompt exceeds max length', 0.5],
  ["Invalid 'messages[1].content': string too long. Maximum length 1048576, but got a length 2000000 instead.", 0.37],
  ['prompt token count of 70000 exceeds the limit of 64000', 0.64],
  ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.', 0.67],
  ['input length exceeds the context length', 0.5],
  // Numbers that are no sizes, and a size of which no prompt should be cut to at once.
  ['The prompt is too long: maximum 300 lines; request 98765432100', 0.5],
  ['maximum context length is 8192 tokens (request 98765432100)', 0.5],
  ['maximum context length is 8192 tokens, you sent 9000 tokens. id: 987654321', 0.64],
  ['prompt is too long: 9000000 tokens > 300 maximum', 0.25],
  ['prompt is too long: 300 tokens > 256 maximum', 0.6],
  ['prompt is too long: 300 tokens > 255 maximum', 0.5],
]

/** What says it in another way than by a sentence in a refusal of status 400. */
const answers: [status: number, body: unknown, part: number][] = [
  [413, '<html>', 0.5],
  [
    413,
    { error: { message: 'Request too large for `x` on tokens per minute (TPM): Limit 6000, Requested 7000' } },
    0.6,
  ],
  [429, { error: { message: 'Request too large for x: 9000 tokens exceed the context length of 8192 tokens' } }, 0.64],
  [500, { error: 'context window exceeds limit (2013)' }, 0.5],
  [400, { error: { message: 'Shorten it.', code: 'context_length_exceeded' } }, 0.5],
  [400, { error: { message: 'Shorten it.', type: 'exceed_context_size_error', n_ctx: 4096 } }, 0.5],
  [400, { error: { message: 'Shorten it.', code: 'model_max_prompt_tokens_exceeded' } }, 0.5],
  [400, { object: 'error', message: 'Prompt exceeds max length' }, 0.5],
]

test('providers say in many ways that a prompt is too long; if they state two sizes, the next one fits', (t) => {
  const said = sentences.map(([message, part]) => [400, { error: { message } }, part] as const)
  for (const [status, body, part] of [...said, ...answers]) {
    const error = refusalOf(status, body)
    t.true(isTooLong(error), JSON.stringify(body))
    t.is(Number(new PromptTooLong('m', error).part.toFixed(2)), part, JSON.stringify(body))
  }
})

test('a stream that begins with such an error says the same', (t) => {
  const said = { type: 'error', message: 'prompt is too long: 210000 tokens > 200000 maximum' }
  t.true(isTooLong(new BrokenAnswer(said)))
  t.true(isTooLong(new BrokenAnswer('This model has a maximum context length of 8192 tokens.')))
  t.false(isTooLong(new BrokenAnswer(undefined)))
  t.false(isTooLong(new Error('prompt is too long')))
})

/** Other refusals, which a shorter prompt would not help. */
const others: [status: number, message: string, code?: string][] = [
  [400, 'max_tokens is too large: 200000. This model supports at most 16384 completion tokens'],
  [400, 'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude'],
  [400, 'credit balance is too low to access'],
  [400, 'Function description is too long: maximum length is 1024'],
  [400, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got 151 instead."],
  [400, "Invalid 'metadata.title': string too long. Expected maximum length 512.", 'string_above_max_length'],
  [400, "Invalid 'tools[0].function.description': string too long.", 'string_above_max_length'],
  [400, "text is too long for the field 'title' (limit 300 of 1000000)"],
  [400, "The input is too long for the field 'title' (limit 300 of 1000000)"],
  [400, "input 'user' is too long: maximum length is 64"],
  [400, 'request header is too long: limit 8192'],
  [400, 'The message title exceeds the maximum length of 300'],
  [400, 'The request metadata exceeds the limit of 512'],
  [401, 'prompt is too long'],
  [404, 'The model does not exist'],
  [429, 'Rate limit reached for gpt on tokens per min (TPM): Limit 10000, Used 9000', 'rate_limit_exceeded'],
  [429, 'The maximum context length is exceeded'],
  [400, 'The quota of prompt tokens exceeds its limit'],
  [400, 'The schema of tools[0] exceeds the maximum context length'],
  [400, 'The number of tokens is too high: max_tokens must be at most 4096'],
  [429, 'You exceeded your current quota, please check your plan and billing details.'],
  [503, 'The model is overloaded, please try again later'],
]

test('a refusal for another reason is not taken for it', (t) => {
  for (const [status, message, code] of others)
    t.false(isTooLong(refusalOf(status, { error: { message, code } })), message)
})
