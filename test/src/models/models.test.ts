import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError, type LanguageModelV4, type LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import test from 'ava'
import { createLogger } from '../../../src/logger.ts'
import { isCoded, type CodedError } from '../../../src/errors.ts'
import { readConfig } from '../../../src/config/config.ts'
import { createModels, type StepRequest } from '../../../src/models/models.ts'
import { streamed } from '../../helpers/streamed.ts'

const now = new Date('2026-11-21T12:00:00Z')

/** The environment that readConfig cannot do without; none of it is used here. */
const environment = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
  VAULT_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
  JWT_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
}

const usage = (input: number | undefined, output: number | undefined) => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
})

const answer = (parts: Partial<LanguageModelV4GenerateResult> = {}): LanguageModelV4GenerateResult => ({
  content: [{ type: 'text', text: 'done' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: usage(10, 2),
  warnings: [],
  ...parts,
})

const asking = (...calls: [id: string, name: string, input: string][]) =>
  answer({
    content: calls.map(([toolCallId, toolName, input]) => ({ type: 'tool-call', toolCallId, toolName, input })),
    finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  })

type Generate = LanguageModelV4['doGenerate']

/** Models over a provider that answers as given, with what it was asked and what was logged. */
function over(doGenerate: Generate, env: Record<string, string> = {}) {
  const asked: Parameters<Generate>[0][] = []
  const lines: string[] = []
  const logger = createLogger('trace', 'test', { write: (line: string) => lines.push(line) })
  const languageModel: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'stub',
    modelId: 'stub-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not streamed')),
    doStream: async (options) => {
      asked.push(options)
      return { stream: streamed(await doGenerate(options)) }
    },
  }
  const config = readConfig({ ...environment, ...env })
  const load = () => Promise.resolve(languageModel)
  return { asked, lines, models: createModels({ config, logger, clock: { now: () => now }, load }) }
}

const request = (parts: Partial<StepRequest> = {}): StepRequest => ({
  model: 'demo',
  prompt: [
    { role: 'system', content: 'the secret prompt' },
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
  ],
  cacheKey: 'key',
  tools: [{ name: 'search', description: 'Searches.', inputSchema: { properties: { q: { type: 'string' } } } }],
  signal: new AbortController().signal,
  ...parts,
})

const stepOf = (result: LanguageModelV4GenerateResult, parts?: Partial<StepRequest>) =>
  over(() => Promise.resolve(result)).models.step(request(parts))

async function failureOf(doGenerate: Generate, env?: Record<string, string>): Promise<CodedError> {
  try {
    await over(doGenerate, env).models.step(request())
  } catch (error) {
    if (isCoded(error, 'MODEL_ERROR')) return error
    throw error
  }
  throw new Error('the step did not fail')
}

const providerError = (
  statusCode: number | undefined,
  rest: { headers?: Record<string, string>; retry?: boolean } = {},
) =>
  new APICallError({
    message: 'said by the provider about the secret prompt',
    url: 'https://provider.example/v1',
    requestBodyValues: { messages: 'the secret prompt' },
    responseBody: 'the secret prompt again',
    cause: new Error('the secret prompt as cause'),
    ...(statusCode !== undefined && { statusCode }),
    ...(rest.headers && { responseHeaders: rest.headers }),
    ...(rest.retry !== undefined && { isRetryable: rest.retry }),
  })

const rejects = (error: Error) => () => {
  throw error
}

test('a step returns what the model said, why it stopped and what it used', async (t) => {
  const { latencyMs, ...result } = await stepOf(answer())
  const used = { inputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 2 }
  t.deepEqual(result, { model: 'demo', text: 'done', finish: 'stop', calls: [], content: null, ...used })
  t.true(Number.isInteger(latencyMs) && latencyMs >= 0)
})

test('the model is given instructions, messages and tools, and is asked once', async (t) => {
  const { models, asked } = over(() => Promise.resolve(answer()))
  await models.step(request())
  t.is(asked.length, 1)
  t.deepEqual(asked[0]?.prompt[0], { role: 'system', content: 'the secret prompt' })
  const [tool] = asked[0]?.tools ?? []
  t.is(tool?.name, 'search')
  t.deepEqual(tool?.type === 'function' && tool.inputSchema.type, 'object')
})

test('a tool call comes back with the text of its arguments, unchanged', async (t) => {
  const exact = '{"n": 12345678901234567890, "a":1.0}'
  const { calls, finish } = await stepOf(asking(['call_1', 'search', exact]))
  t.deepEqual(calls, [{ id: 'call_1', name: 'search', arguments: exact }])
  t.is(finish, 'tool-calls')
})

test('an id that an earlier step used is not used again', async (t) => {
  const output = { type: 'text' as const, value: 'ok' }
  const { calls } = await stepOf(asking(['call_0', 'search', '{}']), {
    prompt: [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_0', toolName: 'search', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_0', toolName: 'search', output }] },
    ],
  })
  t.is(calls.length, 1)
  t.not(calls[0]?.id, 'call_0')
})

test('a call of a tool that was not offered is returned with its problem and a name providers take', async (t) => {
  const { calls } = await stepOf(asking(['a', 'rm -rf /', '{}'], ['b', '__proto__', '{}'], ['c', 'toString', '{}']))
  t.deepEqual(
    calls.map(({ name, problem }) => [name, problem]),
    [
      ['rm_-rf__', 'There is no tool named "rm -rf /".'],
      ['__proto__', 'There is no tool named "__proto__".'],
      ['toString', 'There is no tool named "toString".'],
    ],
  )
})

test('arguments that are no JSON object are returned with the problem', async (t) => {
  const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
  for (const text of ['{"q":', '[1]', '"text"', 'null', '7', deep, `{"a":"${'x'.repeat(300_000)}"}`]) {
    const { calls } = await stepOf(asking(['a', 'search', text]))
    t.is(calls[0]?.arguments, text)
    t.regex(calls[0]?.problem ?? '', /not a JSON object/)
  }
})

test('what Postgres cannot store is replaced in text and arguments', async (t) => {
  const result = asking(['a', 'search', '{"q":"\0\uD800"}'])
  const { text, calls } = await stepOf({ ...result, content: [{ type: 'text', text: 'a\0b' }, ...result.content] })
  t.is(text, 'a\uFFFDb')
  t.is(calls[0]?.arguments, '{"q":"\uFFFD\uFFFD"}')
  t.truthy(calls[0]?.problem)
})

test('only the first thousand calls of an answer are looked at', async (t) => {
  const many = Array.from({ length: 1010 }, (_, index): [string, string, string] => [`c${index}`, 'search', '{}'])
  const { calls } = await stepOf(asking(...many))
  t.is(calls.length, 1000)
  t.is(calls.at(-1)?.id, 'c999')
})

test('calls that the provider has made itself and other parts are left out', async (t) => {
  const { calls, text } = await stepOf(
    answer({
      content: [
        { type: 'reasoning', text: 'thinking' },
        { type: 'tool-call', toolCallId: 'p', toolName: 'web', input: '{}', providerExecuted: true },
        { type: 'text', text: 'a' },
        { type: 'source', sourceType: 'url', id: 's', url: 'http://127.0.0.1:1/' },
        { type: 'text', text: 'b' },
      ],
    }),
  )
  t.deepEqual([calls, text], [[], 'ab'])
})

test('an answer cut by its length, by a filter, or empty is an answer', async (t) => {
  for (const unified of ['length', 'content-filter', 'other'] as const) {
    const { finish, text } = await stepOf(answer({ content: [], finishReason: { unified, raw: unified } }))
    t.deepEqual([finish, text], [unified, ''])
  }
})

test('an answer that ended in an error or without its end is a failure that may pass', async (t) => {
  for (const unified of ['error', 'interrupted', 'other'] as const) {
    const failure = await failureOf(() => Promise.resolve(answer({ finishReason: { unified, raw: undefined } })))
    t.true(failure.retryable)
  }
})

test('an answer that does not say what it used, or used nothing for its prompt, is not worth another try', async (t) => {
  const missing = [
    usage(undefined, 2),
    usage(1, undefined),
    usage(-1, 2),
    usage(0, 2),
    usage(Number.NaN, 2),
    usage(1_000_000_000, 2),
    undefined,
  ]
  for (const used of missing) {
    const result = { ...answer(), usage: used } as LanguageModelV4GenerateResult
    const failure = await failureOf(() => Promise.resolve(result))
    t.regex(failure.message, /its token usage/)
    t.false(failure.retryable)
  }
})

test('what is logged of a failure is its kind and its status', async (t) => {
  const details: [status: number, isRetryable: boolean, privateDetail: string][] = [
    [400, false, 'AI_APICallError, status 400'],
    [413, false, 'prompt longer than the model takes, status 413'],
    [503, true, 'AI_APICallError, status 503'],
  ]
  for (const [status, retryable, privateDetail] of details)
    t.like(await failureOf(rejects(providerError(status))), { retryable, privateDetail, retryAfter: undefined })
})

test('a provider that cannot be reached, or was lost in mid-answer, may pass; an unreadable answer will not', async (t) => {
  const away = await failureOf(rejects(providerError(undefined, { retry: true })))
  t.deepEqual([away.retryable, away.message], [true, 'The AI provider could not be reached.'])
  const lost = await failureOf(rejects(providerError(200, { retry: true })))
  t.true(lost.retryable)
  t.regex(lost.message, /broke off before it was complete/)
  const garbled = await failureOf(rejects(providerError(200)))
  t.false(garbled.retryable)
  t.regex(garbled.message, /could not be read/)
})

test('a failure has the pause that its provider asks for', async (t) => {
  const headers = { 'retry-after': '7' }
  t.is((await failureOf(rejects(providerError(429, { headers })))).retryAfter, 7)
})

test('neither the error nor the log holds anything of the prompt', async (t) => {
  const { models, lines } = over(rejects(providerError(500)))
  const failure = await t.throwsAsync<CodedError>(models.step(request()))
  t.is(failure.cause, undefined)
  t.false(JSON.stringify([Object.entries(failure), failure.message, failure.stack]).includes('secret prompt'))
  t.is(lines.length, 1)
  t.regex(lines.join(''), /AI_APICallError, status 500/)
  t.false(lines.join('').includes('secret prompt'))
})

test('what a provider says of a request that it refuses is in the log, in short and without secrets', async (t) => {
  const words = `temperature must be at most 1, not of-a-vault ${'x'.repeat(1000)}`
  const refusal = new APICallError({
    message: 'refused',
    url: 'https://provider.example/v1',
    requestBodyValues: {},
    responseBody: JSON.stringify({ error: { message: words } }),
    statusCode: 400,
  })
  const { models, lines } = over(rejects(refusal))
  const failure = await t.throwsAsync<CodedError>(models.step(request({ hiding: await models.hiding(['of-a-vault']) })))
  t.notRegex(failure.message, /temperature/)
  t.regex(lines.join(''), /temperature must be at most 1/)
  t.notRegex(lines.join(''), /of-a-vault|x{501}/)
})

test('an error of an unknown kind is a failure that says only its class', async (t) => {
  const failure = await failureOf(rejects(new TypeError('the secret prompt')))
  t.deepEqual([failure.retryable, failure.privateDetail], [false, 'TypeError, no status'])
  t.false(failure.message.includes('secret'))
  t.true((await failureOf(rejects(new DOMException('late', 'TimeoutError')))).retryable)
})

test('the log names the classes and codes of what led to an error, and none of its texts', async (t) => {
  class InvalidArgumentError extends Error {
    code = 'UND_ERR_INVALID_ARG'
  }
  const root = Object.assign(new Error('sk-canary'), { code: 'sk-canary', name: 'the canary' })
  const cause = new InvalidArgumentError('invalid canary header', { cause: root })
  const { models, lines } = over(rejects(new TypeError('the canary prompt', { cause })))
  await t.throwsAsync(models.step(request()))
  t.regex(lines.join(''), /"TypeError, InvalidArgumentError UND_ERR_INVALID_ARG, Error, no status"/)
  t.false(lines.join('').includes('canary'))
  const endless = new RangeError('canary')
  endless.cause = endless
  t.is((await failureOf(rejects(endless))).privateDetail?.split('RangeError').length, 7)
})

test('an abort rejects with its reason, even if the provider does not listen', async (t) => {
  const controller = new AbortController()
  const reason = new Error('the run was cancelled')
  const { promise, resolve } = Promise.withResolvers<LanguageModelV4GenerateResult>()
  const { models, lines } = over(() => {
    controller.abort(reason)
    return promise
  })
  t.is(await t.throwsAsync(models.step(request({ signal: controller.signal }))), reason)
  t.deepEqual(lines, [])
  resolve(answer())
})

test('the provider is given a signal that aborts with the reason of the caller', async (t) => {
  const controller = new AbortController()
  const reason = new Error('the run was cancelled')
  const { models, asked } = over(async ({ abortSignal }) => {
    controller.abort(reason)
    await sleep(60_000, undefined, abortSignal && { signal: abortSignal })
    return answer()
  })
  t.is(await t.throwsAsync(models.step(request({ signal: controller.signal }))), reason)
  t.is(asked[0]?.abortSignal?.reason, reason)
})

test('a step that is aborted beforehand asks nobody', async (t) => {
  const { models, asked } = over(() => Promise.resolve(answer()))
  const reason = new Error('too late')
  t.is(await t.throwsAsync(models.step(request({ signal: AbortSignal.abort(reason) }))), reason)
  t.is(asked.length, 0)
})

test('a model that does not answer in time is a failure that may pass', async (t) => {
  // The platform's own timer does not keep the process alive; a real socket would.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const failure = await failureOf(() => new Promise(() => {}), { MODEL_TIMEOUT_SECONDS: '1' })
  t.deepEqual([failure.retryable, failure.message], [true, 'The AI provider did not answer within the limit of 1 s.'])
})

test('without another model the demo model answers', async (t) => {
  const config = readConfig(environment)
  const models = createModels({ config, logger: createLogger('silent', 'test') })
  const { model, text } = await models.step(request())
  t.is(model, 'demo')
  t.regex(text, /^This is the demo model/)
})

test('of arguments in which a member occurs twice, only what is checked is sent', async (t) => {
  const twice = '{"mode":"DELETE","list":[{"a":1,"a":2}],"mode":"safe","long":12345678901234567890}'
  const { models } = over(() => Promise.resolve(asking(['1', 'a', twice], ['2', 'a', '{ "mode": "a:\\"b\\": c" }'])))
  const prompt = models.prompt('demo', { systemPrompt: 'x', trigger: 'manual', steps: [] })
  const tools = [{ name: 'a', description: 'x', inputSchema: {} }]
  const signal = new AbortController().signal
  const { calls } = await models.step({ model: 'demo', prompt, tools, cacheKey: 'x', signal })
  t.is(calls[0]?.arguments, '{"mode":"safe","list":[{"a":2}],"long":12345678901234567890}')
  t.is(calls[1]?.arguments, '{ "mode": "a:\\"b\\": c" }')
})
