import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError, type LanguageModelV4, type LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import test from 'ava'
import { createLogger } from '../../../src/logger.ts'
import { isCoded, type CodedError } from '../../../src/errors.ts'
import { createModels, type StepRequest } from '../../../src/models/models.ts'
import { secretsOf } from '../../../src/models/provider-secrets.ts'
import { testConfig } from '../../helpers/config.ts'
import { streamParts } from '../../helpers/stream-parts.ts'

const now = new Date('2026-11-21T12:00:00Z')

const configOf = (env: Record<string, string> = {}) => testConfig('postgres://nobody@127.0.0.1/none', env)

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

type Generate = LanguageModelV4['doGenerate']

/** Models over a provider that answers as given, with what it was asked and what was logged. */
function over(doGenerate: Generate, env: Record<string, string> = {}, failedLoads = 0) {
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
      return { stream: streamParts(await doGenerate(options)) }
    },
  }
  let loads = 0
  const load = () =>
    (loads += 1) > failedLoads ? Promise.resolve(languageModel) : Promise.reject(new Error('no file'))
  return { asked, lines, models: createModels({ config: configOf(env), logger, clock: { now: () => now }, load }) }
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
  more: Partial<ConstructorParameters<typeof APICallError>[0]> = {},
) =>
  new APICallError({
    message: 'said by the provider about the secret prompt',
    url: 'https://provider.example/v1',
    requestBodyValues: { messages: 'the secret prompt' },
    responseBody: 'the secret prompt again',
    cause: new Error('the secret prompt as cause'),
    ...(statusCode !== undefined && { statusCode }),
    ...more,
  })

const rejects = (error: Error) => () => {
  throw error
}

test('the model is asked once with instructions, messages and tools, and the step has what it said and used', async (t) => {
  const { models, asked } = over(() => Promise.resolve(answer()))
  const { latencyMs, ...result } = await models.step(request())
  const used = { inputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 2 }
  t.deepEqual(result, { model: 'demo', text: 'done', finish: 'stop', calls: [], content: null, ...used })
  t.true(Number.isInteger(latencyMs) && latencyMs >= 0)
  t.is(asked.length, 1)
  t.deepEqual(asked[0]?.prompt[0], { role: 'system', content: 'the secret prompt' })
  t.like(asked[0]?.tools, [{ name: 'search', inputSchema: { type: 'object' } }])
})

test('of an answer count the texts, as Postgres can keep them, and calls that the platform is to make', async (t) => {
  const output = { type: 'text' as const, value: 'ok' }
  const call = { type: 'tool-call' as const, toolName: 'search', input: '{}' }
  const content: LanguageModelV4GenerateResult['content'] = [
    { type: 'reasoning', text: 'thinking' },
    { ...call, toolCallId: 'p', toolName: 'web', providerExecuted: true },
    { type: 'text', text: 'a\0' },
    { type: 'source', sourceType: 'url', id: 's', url: 'http://127.0.0.1:1/' },
    { type: 'text', text: 'b' },
    { ...call, toolCallId: 'call_0' },
  ]
  const finishReason = { unified: 'tool-calls' as const, raw: 'tool_calls' }
  const { calls, text, finish } = await stepOf(answer({ content, finishReason }), {
    prompt: [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_0', toolName: 'search', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_0', toolName: 'search', output }] },
    ],
  })
  t.deepEqual([text, finish, calls.length], ['a\uFFFDb', 'tool-calls', 1])
  t.not(calls[0]?.id, 'call_0', 'an id that an earlier step used is not used again')
})

test('an answer may be cut or empty, one without its end may pass, and one without its usage cannot', async (t) => {
  for (const unified of ['length', 'content-filter', 'other'] as const) {
    const { finish, text } = await stepOf(answer({ content: [], finishReason: { unified, raw: unified } }))
    t.deepEqual([finish, text], [unified, ''])
  }
  for (const unified of ['error', 'interrupted', 'other'] as const) {
    const failure = await failureOf(() => Promise.resolve(answer({ finishReason: { unified, raw: undefined } })))
    t.true(failure.retryable)
  }
  const unstated = [usage(undefined, 2), usage(1, undefined), usage(-1, 2), usage(0, 2), usage(NaN, 2), usage(1e9, 2)]
  for (const used of [...unstated, undefined]) {
    const result = { ...answer(), usage: used } as LanguageModelV4GenerateResult
    const failure = await failureOf(() => Promise.resolve(result))
    t.regex(failure.message, /token usage/)
    t.false(failure.retryable)
  }
})

const timeout = new DOMException('late', 'TimeoutError')
const pause = { responseHeaders: { 'retry-after': '7' } }
const failures: [error: Error, told: object][] = [
  [providerError(400), { retryable: false, privateDetail: 'AI_APICallError, status 400', retryAfter: undefined }],
  [providerError(413), { retryable: false, privateDetail: 'prompt longer than the model accepts, status 413' }],
  [providerError(503), { retryable: true, privateDetail: 'AI_APICallError, status 503' }],
  [providerError(429, pause), { retryable: true, retryAfter: 7 }],
  [
    providerError(undefined, { isRetryable: true }),
    { retryable: true, message: 'The AI provider could not be reached.' },
  ],
  [
    providerError(200, { isRetryable: true }),
    { retryable: true, message: "The AI provider's response ended before it was complete." },
  ],
  [providerError(200), { retryable: false, message: "The AI provider's response could not be read." }],
  [new TypeError('the secret prompt'), { retryable: false, privateDetail: 'TypeError, no status' }],
  [timeout, { retryable: true }],
]

test('a failure says whether it may pass, in words and details that hold nothing of the prompt', async (t) => {
  for (const [error, told] of failures) {
    const { models, lines } = over(rejects(error))
    const failure = await t.throwsAsync<CodedError>(models.step(request()))
    t.like(failure, { code: 'MODEL_ERROR', ...told })
    t.is(failure.cause, undefined)
    t.is(lines.length, 1)
    t.true(lines.join('').includes(failure.privateDetail ?? 'none'))
    const shown = JSON.stringify([Object.entries(failure), failure.message, failure.stack, lines])
    t.false(shown.includes('secret prompt'))
  }
})

test('what a provider says of a request that it refuses is in the log, in short and without secrets', async (t) => {
  const words = `temperature must be at most 1, not of-a-vault ${'x'.repeat(1000)}`
  const refusal = providerError(400, { responseBody: JSON.stringify({ error: { message: words } }) })
  const { models, lines } = over(rejects(refusal))
  const failure = await t.throwsAsync<CodedError>(models.step(request({ hiding: await models.hiding(['of-a-vault']) })))
  t.notRegex(failure.message, /temperature/)
  t.regex(lines.join(''), /temperature must be at most 1/)
  t.notRegex(lines.join(''), /of-a-vault|x{501}/)
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

const reason = new Error('the run was cancelled')

test('an abort rejects with its reason, even if the provider does not listen, which is told it, too', async (t) => {
  for (const listens of [true, false]) {
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<LanguageModelV4GenerateResult>()
    const { models, lines, asked } = over(async ({ abortSignal }) => {
      controller.abort(reason)
      if (listens) await sleep(60_000, undefined, abortSignal && { signal: abortSignal })
      return promise
    })
    t.is(await t.throwsAsync(models.step(request({ signal: controller.signal }))), reason)
    t.is(asked[0]?.abortSignal?.reason, reason)
    t.deepEqual(lines, [])
    resolve(answer())
  }
  const { models, asked } = over(() => Promise.resolve(answer()))
  t.is(await t.throwsAsync(models.step(request({ signal: AbortSignal.abort(reason) }))), reason)
  t.is(asked.length, 0, 'a step that is aborted beforehand asks nobody')
})

test('a model that does not answer in time is a failure that may pass', async (t) => {
  // The platform's own timer does not keep the process alive; a real socket would.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const failure = await failureOf(() => new Promise(() => {}), { MODEL_TIMEOUT_SECONDS: '1' })
  t.deepEqual(
    [failure.retryable, failure.message],
    [true, 'The AI provider did not respond within the time limit of 1 s.'],
  )
})

test('a prompt that is refused as too long narrows the window of its own run or chat, and a longer one does not widen it', async (t) => {
  const { models } = over(rejects(providerError(413)))
  const whole = await models.window('demo', 'key')
  t.is(whole.promptBytes, undefined)
  const narrowed = async () => (await models.window('demo', 'key')).promptBytes ?? 0
  await t.throwsAsync(models.step(request()))
  const bytes = await narrowed()
  t.true(bytes > 0)
  const { prompt } = request()
  await t.throwsAsync(models.step(request({ prompt: [...prompt, ...prompt] })))
  t.is(await narrowed(), bytes)
  t.deepEqual(await models.window('demo', 'another'), whole)
})

test('how many tools a provider takes is learnt by the owner whom it has told, and by no other', async (t) => {
  const tools = Array.from({ length: 12 }, (_, index) => ({ name: `t${index}`, description: 'Acts.', inputSchema: {} }))
  const responseBody = '{"error":{"message":"Too many tools: at most 10 are taken"}}'
  const { models } = over(({ tools: sent = [] }) =>
    sent.length > 10 ? Promise.reject(providerError(400, { responseBody })) : Promise.resolve(answer()),
  )
  t.is((await models.step(request({ tools, party: 'one' }))).refusedTools?.length, 2)
  const siteOf = (index: number) => (index % 3 === 2 ? 'Other' : 'Site')
  const given = tools.map((tool, index) => ({ ...ofSite(siteOf(index)), tool }))
  t.deepEqual(
    [models.offer('demo', 'one', given), models.offer('demo', 'another', given)].map(({ tools }) => tools.length),
    [10, 12],
  )
  const { leftOut } = models.offer('demo', 'one', given)
  t.like(leftOut, [
    { name: 'Site', origin: 'https://Site.example', reason: 'too_many_tools', tools: ['t10'] },
    { name: 'Other', origin: 'https://Other.example', reason: 'too_many_tools', tools: ['t11'] },
  ])
})

const ofSite = (siteName: string) => ({ entryId: siteName, siteName, siteOrigin: `https://${siteName}.example` })

test('a tool that a provider has refused is offered again once its site has changed anything of it', async (t) => {
  const responseBody = `{"error":{"message":"Invalid schema for function 'odd'"}}`
  const { models } = over(({ tools: sent = [] }) =>
    sent.some(({ name }) => name === 'odd')
      ? Promise.reject(providerError(400, { responseBody }))
      : Promise.resolve(answer()),
  )
  const odd = { name: 'odd', description: 'Acts.', inputSchema: {} }
  await models.step(request({ tools: [{ ...odd, siteName: 'Site' }], party: 'one' }))
  const isOffered = (tool: typeof odd, site = 'Site') =>
    models.offer('demo', 'one', [{ ...ofSite(site), tool }]).tools.length > 0
  t.false(isOffered(odd))
  t.true(isOffered({ ...odd, description: 'Acts better.' }))
  t.true(isOffered({ ...odd, inputSchema: { properties: {} } }))
  t.true(isOffered(odd, 'Other'))
})

test('the secrets of a provider are its keys, and headers that prove something, also without the word before', (t) => {
  const keys = { apiKey: 'key', accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'session' }
  const headers = { Authorization: 'Bearer token', 'x-team': 'not secret', 'X-Api-Key': 'of-a-header' }
  const one = { name: 'one', kind: 'amazon-bedrock', concurrency: 1 } as const
  t.deepEqual(
    new Set(
      secretsOf([
        { ...one, ...keys, headers },
        { ...one, apiKey: 'of another' },
      ]),
    ),
    new Set([...Object.values(keys), 'Bearer token', 'token', 'of-a-header', 'of another']),
  )
})

test('an adapter that could not be loaded is loaded again for the next call', async (t) => {
  const { models } = over(() => Promise.resolve(answer()), {}, 1)
  await t.throwsAsync(models.step(request()), { code: 'MODEL_ERROR' })
  t.is((await models.step(request())).text, 'done')
})

test('what an answer says is counted also where its provider counts nothing of it', async (t) => {
  const { inputTokens, outputTokens } = await stepOf(answer({ usage: usage(10, 0) }))
  t.deepEqual([inputTokens, outputTokens], [10, 1])
})

test('models of one provider share its places, and those of another have their own', async (t) => {
  const provider = (name: string) => ({ name, kind: 'demo' as const, concurrency: 1 })
  const model = (name: string, of: string) => ({ name, id: name, provider: of })
  const { models: usual } = configOf()
  const providers = [provider('one'), provider('other')]
  const config = { ...usual, providers, models: [model('a', 'one'), model('b', 'one'), model('c', 'other')] }
  const models = createModels({ config: { models: config }, logger: createLogger('silent', 'test') })
  const begun: string[] = []
  const [last, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const uses = ['a', 'b', 'c'].map((name) =>
    models.inPlace(name, 'an owner', new AbortController().signal, () => {
      begun.push(name)
      if (name === 'c') last.resolve()
      return held.promise
    }),
  )
  await last.promise
  t.deepEqual(begun, ['a', 'c'])
  held.resolve()
  await Promise.all(uses)
  t.deepEqual(begun, ['a', 'c', 'b'])
})

test('without another model the demo model answers', async (t) => {
  const models = createModels({ config: configOf(), logger: createLogger('silent', 'test') })
  const { model, text } = await models.step(request())
  t.is(model, 'demo')
  t.regex(text, /^This is the demo model/)
})
