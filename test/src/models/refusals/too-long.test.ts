import test from 'ava'
import { BrokenAnswer } from '../../../../src/models/failures.ts'
import { isTooLong, PromptTooLong } from '../../../../src/models/refusals/too-long.ts'
import { refusalOf } from './refusal-of.ts'

/** What providers and servers say of a prompt that is too long, and which part of it may be taken next. */
const tooLong: [number, unknown, number][] = [
  [
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
    0.64,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    0.5,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it',
        type: 'x',
      },
    },
    0.32,
  ],
  [413, '<html>', 0.5],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
    0.67,
  ],
  [
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      },
    },
    0.66,
  ],
  [
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      code: 400,
    },
    0.64,
  ],
  [
    400,
    {
      message:
        'The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    },
    0.64,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    },
    0.61,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message:
          'Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.',
      },
    },
    0.57,
  ],
  [
    400,
    {
      object: 'error',
      message: 'Prompt contains 41213 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
    },
    0.5,
  ],
  [400, { message: 'Input is too long for requested model.' }, 0.5],
  [400, { message: 'Too many input tokens. Max input tokens: 300000, request input token count: 310000 ' }, 0.68],
  [
    400,
    {
      message:
        'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    },
    0.5,
  ],
  [
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
      error_type: 'validation',
    },
    0.57,
  ],
  [422, { error: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000' }, 0.57],
  [
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
    0.57,
  ],
  [400, { error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens." }, 0.66],
  [
    400,
    {
      error: {
        message: 'Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)',
        type: 'invalid_request_error',
      },
    },
    0.64,
  ],
  [
    400,
    {
      error: {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        code: 'context_length_exceeded',
      },
    },
    0.5,
  ],
  [400, { error: { message: 'Range of input length should be [1, 30720]' } }, 0.5],
  [400, { error: { code: '1261', message: 'Prompt exceeds max length' } }, 0.5],
  [
    413,
    {
      error: {
        message: 'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000',
        code: 'rate_limit_exceeded',
      },
    },
    0.6,
  ],
  [
    400,
    {
      error: {
        message:
          "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2000000 instead.",
        code: 'string_above_max_length',
      },
    },
    0.37,
  ],
  [
    400,
    {
      error: {
        message: 'prompt token count of 70000 exceeds the limit of 64000',
        code: 'model_max_prompt_tokens_exceeded',
      },
    },
    0.64,
  ],
  [500, { error: 'context window exceeds limit (2013)' }, 0.5],
  [400, { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.' }, 0.67],
  [400, { error: { message: 'input length exceeds the context length' } }, 0.5],
  [400, { error: { message: 'The prompt is too long: maximum 300 lines; request 98765432100' } }, 0.5],
  [400, { error: { message: 'maximum context length is 8192 tokens (request 98765432100)' } }, 0.5],
  [400, { error: { message: 'maximum context length is 8192 tokens, you sent 9000 tokens. id: 987654321' } }, 0.64],
  [400, { error: { message: 'prompt is too long: 9000000 tokens > 300 maximum' } }, 0.25],
]

test('providers say in many ways that a prompt is too long; if they state two sizes, the next one fits', (t) => {
  for (const [status, body, part] of tooLong) {
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
const others: [number, unknown][] = [
  [
    400,
    {
      error: {
        message:
          'max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.',
      },
    },
  ],
  [
    400,
    { error: { message: 'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude' } },
  ],
  [
    429,
    {
      error: {
        message:
          'Rate limit reached for gpt on tokens per min (TPM): Limit 10000, Used 9000, Requested 2000. Please try again',
        code: 'rate_limit_exceeded',
      },
    },
  ],
  [429, { error: { message: 'You exceeded your current quota, please check your plan and billing details.' } }],
  [
    400,
    {
      error: {
        message:
          "Invalid schema for function 'find': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        param: 'tools[0].function.parameters',
        code: 'invalid_function_parameters',
      },
    },
  ],
  [400, { error: { message: 'no', type: 'some_error' } }],
  [404, { error: { message: 'The model does not exist' } }],
  [400, { error: { message: 'credit balance is too low to access' } }],
  [503, { error: { message: 'The model is overloaded, please try again later' } }],
  [
    400,
    {
      error: {
        message:
          "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 151 instead.",
        param: 'tools',
        code: 'array_above_max_length',
      },
    },
  ],
  [400, { error: { message: 'Function description is too long: maximum length is 1024' } }],

  ...[
    "text is too long for the field 'title' (limit 300 of 1000000)",
    "The input is too long for the field 'title' (limit 300 of 1000000)",
    "input 'user' is too long: maximum length is 64",
    'request header is too long: limit 8192',
    'The message title exceeds the maximum length of 300',
    'The request metadata exceeds the limit of 512',
  ].map((message): [number, unknown] => [400, { error: { message } }]),
  [
    400,
    {
      error: {
        message: "Invalid 'metadata.title': string too long. Expected a string with maximum length 512.",
        code: 'string_above_max_length',
      },
    },
  ],
  [401, { error: { message: 'prompt is too long' } }],
  [
    400,
    {
      error: { message: "Invalid 'tools[0].function.description': string too long.", code: 'string_above_max_length' },
    },
  ],
]

test('a refusal for another reason is not taken for it', (t) => {
  for (const [status, body] of others) t.false(isTooLong(refusalOf(status, body)), JSON.stringify(body))
})
