import test, { type ExecutionContext } from 'ava'
import { readModels } from '../../../src/config/read-models.ts'
import { fileWith, problemsIn } from './files.ts'

const read = (t: ExecutionContext, content: unknown, env: Record<string, string> = {}) =>
  readModels({ MODELS_FILE: fileWith(t, content), ...env })

const problemsOf = (t: ExecutionContext, content: unknown, env: Record<string, string> = {}): string[] =>
  problemsIn(t, () => read(t, content, env))

const openai = { name: 'openai', kind: 'openai', apiKeyEnv: 'A_KEY', models: [{ id: 'gpt-5-mini' }] }
const local = { name: 'local', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1/', models: [{ id: 'llama' }] }

test('a file names providers and models; keys come from the variables that it names, and the first model is the default', (t) => {
  const providers = [openai, { ...local, models: [{ id: 'llama', name: 'small' }] }]
  const config = read(t, { default: 'small', providers }, { A_KEY: 'sk-123' })
  t.is(config.default, 'small')
  t.like(config.models, [
    { name: 'gpt-5-mini', provider: 'openai' },
    { name: 'small', id: 'llama', provider: 'local' },
  ])
  t.like(config.providers, [
    { apiKey: 'sk-123', concurrency: 100 },
    { apiKey: undefined, baseUrl: 'http://127.0.0.1:1/v1' },
  ])
  t.is(read(t, `\uFEFF${JSON.stringify({ providers: [local] })}`).default, 'llama', 'after a byte order mark, too')
})

test('two variables are enough for one model, beside which the demo model stays; a key alone may be for another program', (t) => {
  const remote = readModels({ OPENAI_MODEL: 'gpt-5-mini', OPENAI_API_KEY: 'sk-123' })
  t.is(remote.default, 'gpt-5-mini')
  t.like(remote.providers, [{ kind: 'openai', apiKey: 'sk-123', baseUrl: undefined }, { kind: 'demo' }])
  const own = readModels({ OPENAI_MODEL: 'llama3.2', OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1/' })
  t.like(own.providers, [{ kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' }, { kind: 'demo' }])
  t.like(own.models, [{ name: 'llama3.2' }, { name: 'demo' }])
  t.is(readModels({ OPENAI_API_KEY: 'sk-123' }).default, 'demo')
})

test('every problem of the form of a file is told, with its place', (t) => {
  const file = {
    providers: [
      { ...openai, kind: 'open-ai', baseUrl: 'ftp://x', surprise: 1 },
      { ...local, concurrency: 0, models: [{ id: 'llama', price: { input: -1 }, contextTokens: 1.5 }] },
    ],
  }
  const problems = problemsOf(t, file, { A_KEY: 'sk-123' })
  const places = [
    'providers.0.kind must be one of openai, anthropic,',
    'providers.0.baseUrl must start with https:// or http://',
    'providers.0 has an unknown member. Allowed members: name, kind, baseUrl,',
    'providers.1.concurrency must be at least 1',
    'providers.1.models.0.price.input must not be negative',
    'providers.1.models.0.price.output is missing',
    'providers.1.models.0.contextTokens must be a whole number',
  ]
  for (const place of places)
    t.true(
      problems.some((problem) => problem.startsWith(`MODELS_FILE: ${place}`)),
      place,
    )
  t.is(problems.length, places.length, problems.join('\n'))
})

test('a model whose answers may fill its window is refused', (t) => {
  const withSizes = (sizes: object) => ({ providers: [{ ...local, models: [{ id: 'llama', ...sizes }] }] })
  for (const maxOutputTokens of [32_000, 32_001]) {
    t.deepEqual(problemsOf(t, withSizes({ contextTokens: 32_000, maxOutputTokens })), [
      'MODELS_FILE: the model llama needs `maxOutputTokens` below `contextTokens`, because the prompt and the answer share the window',
    ])
  }
  t.like(read(t, withSizes({ contextTokens: 32_000, maxOutputTokens: 31_999 })).models, [{ contextTokens: 32_000 }])
  t.like(read(t, withSizes({ maxOutputTokens: 128_000 })).models, [{ maxOutputTokens: 128_000 }])
})

test('whatever stands in the wrong place is not printed, because it may be a secret', (t) => {
  const secret = 'sk-HEADERSECRET'
  const misplaced = [
    { headers: `Authorization: Bearer ${secret}` },
    { headers: { [secret]: 1 } },
    { [secret]: 1 },
    { name: `x ${secret}` },
    { kind: secret },
    { baseUrl: `http://user:${secret}@127.0.0.1/v1` },
    { baseUrl: `ftp://${secret}` },
    { apiKeyEnv: secret },
    { apiKeyEnv: secret.replace('-', '_') },
    { concurrency: secret },
    { models: [secret] },
    { models: [{ id: 'llama', price: secret }] },
    { models: [{ id: 'llama', [secret]: secret }] },
    { models: [{ id: `x ${secret}` }, { id: `x ${secret}` }] },
  ]
  for (const members of misplaced) {
    const problems = problemsOf(t, { providers: [{ ...local, ...members }] }).join('\n')
    t.regex(problems, /^MODELS_FILE: /)
    t.false(problems.includes('HEADERSECRET'), problems)
  }
  for (const content of [`"${secret}"`, `{ "providers": ${secret} }`, { default: secret, providers: [local] }]) {
    t.false(problemsOf(t, content).join().includes(secret))
  }
  const pasted = problemsIn(t, () => readModels({ MODELS_FILE: `{ "headers": "${secret}" }` }))
  t.deepEqual(pasted, ["MODELS_FILE must be a file path, not the file's content"])
})

test('what is expected in a place is told', (t) => {
  const told = (members: object) => problemsOf(t, { providers: [{ ...local, ...members }] }).join()
  t.is(told({ headers: { 'x-team': 1 } }), 'MODELS_FILE: providers.0.headers must contain only strings')
  t.is(told({ apiKeyEnv: 7 }), 'MODELS_FILE: providers.0.apiKeyEnv must be the name of an environment variable')
  t.regex(
    told({ models: [{ id: 'two words' }] }),
    /providers\.0\.models\.0 needs a `name`, because its `id` is not 1 to/,
  )
})

test('a key that cannot be sent is refused, and a line break at its end is left out', (t) => {
  const [ended, broken] = ['sk-canary\n', 'sk-canary\nsk-other']
  t.is(read(t, { providers: [openai] }, { A_KEY: ended }).providers[0]?.apiKey, 'sk-canary')
  const sentence = 'has a line break or another character that a header cannot contain'
  t.deepEqual(problemsOf(t, { providers: [openai] }, { A_KEY: broken }), [
    `MODELS_FILE: the provider openai names the environment variable A_KEY, which ${sentence}`,
  ])
  t.is(readModels({ OPENAI_MODEL: 'm', OPENAI_API_KEY: ended }).providers[0]?.apiKey, 'sk-canary')
  const error = problemsIn(t, () => readModels({ OPENAI_MODEL: 'm', OPENAI_API_KEY: broken }))
  t.deepEqual(error, [`OPENAI_API_KEY ${sentence}`])
})

test('a region that no address can have is refused', (t) => {
  const keys = { accessKeyIdEnv: 'A_KEY', secretAccessKeyEnv: 'A_KEY', models: [{ id: 'nova' }] }
  const inRegion = (region: string) => ({ providers: [{ name: 'aws', kind: 'amazon-bedrock', region, ...keys }] })
  for (const region of ['eu-central-1', 'us-gov-west-1', 'eusc-de-east-1'])
    t.is(read(t, inRegion(region), { A_KEY: 'a' }).providers[0]?.region, region)
  for (const region of ['EU', 'eu central 1', 'x.example/'])
    t.regex(problemsOf(t, inRegion(region), { A_KEY: 'a' }).join(), /0\.region must be an AWS region, such as/)
})

test('a member that is not known is not named, but the one that it is like', (t) => {
  const hintOf = (members: object) =>
    /\(did you mean (.*)\?\)/.exec(problemsOf(t, { providers: [{ ...local, ...members }] }).join())?.[1]
  t.is(hintOf({ apiKey: 'sk-123' }), 'apiKeyEnv')
  t.is(hintOf({ base_url: 'http://127.0.0.1/v1' }), 'baseUrl')
  t.is(hintOf({ hedders: {}, concurency: 1, other: 1 }), 'headers, concurrency')
  t.is(hintOf({ temperature: 1 }), undefined)
})

test('a file that is not there, or is not JSON, is one problem', (t) => {
  const missing = problemsIn(t, () => readModels({ MODELS_FILE: '/nowhere/models.json' }))
  t.deepEqual(missing, ['MODELS_FILE names /nowhere/models.json, which cannot be read (ENOENT)'])
  t.regex(problemsOf(t, '{"providers": [').join(), /which is not valid JSON \(line 1, column 16\)$/)
})

test('every contradiction in a file is told, beside members that are wrong, and no key is quoted', (t) => {
  const wrong = { id: 'llama', stream: 'no' }
  const full = { ...wrong, contextTokens: 1000, maxOutputTokens: 1000 }
  const providers = [
    { ...openai, concurrency: '7', models: [{ id: 'llama', surprise: 1 }] },
    { ...local, name: 'openai', apiKeyEnv: 'NO_KEY', baseUrl: undefined, models: [wrong, full] },
    { kind: 'anthropic', models: [] },
    { name: 'azure', kind: 'azure', apiKeyEnv: 7, baseUrl: 7, models: [{ id: 'gpt' }] },
    { name: 'aws', kind: 'amazon-bedrock', accessKeyIdEnv: 'A_KEY', models: [{ id: 'nova' }] },
    'nothing',
  ]
  const problems = problemsOf(t, { default: 'none', providers, surprise: 1 }, { A_KEY: 'sk-123' })
  const violations = problems.slice(problems.findIndex((one) => one.includes('two providers')))
  t.deepEqual(violations, [
    'MODELS_FILE: two providers are named openai',
    'MODELS_FILE: two models are named llama. Give one of them a different `name`',
    'MODELS_FILE: default must be the name of a model: llama, gpt, nova',
    'MODELS_FILE: the model llama needs `maxOutputTokens` below `contextTokens`, because the prompt and the answer share the window',
    'MODELS_FILE: the provider openai names the environment variable NO_KEY, which is not set',
    'MODELS_FILE: the provider openai needs `baseUrl`',
    'MODELS_FILE: providers.2 needs `apiKeyEnv` or `apiKeyFile`',
    'MODELS_FILE: the provider aws needs `region`',
    'MODELS_FILE: the provider aws needs `apiKeyEnv`, or `accessKeyIdEnv` and `secretAccessKeyEnv` (or files: `apiKeyFile` …)',
  ])
  t.is(problems.length - violations.length, 10, problems.join('\n'))
  t.false(problems.join('').includes('sk-123'))
})

test('problems of the variables of models, and of their file, are told together', (t) => {
  const MODELS_FILE = fileWith(t, { providers: [{ ...openai, apiKeyEnv: 'OPENAI_API_KEY' }, { name: 'b' }] })
  const env = { MODELS_FILE, OPENAI_API_KEY_FILE: '/nowhere/key', OPENAI_BASE_URL: 'nowhere' }
  const error = problemsIn(t, () => readModels(env))
  t.deepEqual(error, [
    'OPENAI_API_KEY_FILE names /nowhere/key, which cannot be read (ENOENT)',
    'OPENAI_BASE_URL must be a complete URL',
    'MODELS_FILE: providers.1.kind is missing',
    'MODELS_FILE: providers.1.models is missing',
  ])
})

test('variables that do not go together are refused', (t) => {
  const problemOf = (env: Record<string, string>) => problemsIn(t, () => readModels(env)).join()
  t.is(problemOf({ OPENAI_MODEL: 'm' }), 'OPENAI_MODEL requires OPENAI_API_KEY, or OPENAI_BASE_URL for another server')
  t.is(problemOf({ OPENAI_BASE_URL: 'http://x' }), 'OPENAI_MODEL is required if OPENAI_BASE_URL is set')
  const withUser = { OPENAI_MODEL: 'm', OPENAI_BASE_URL: 'http://user:canary@127.0.0.1/v1' }
  t.is(
    problemOf(withUser),
    'OPENAI_BASE_URL must not contain a user name or password. Set a key, or headers in MODELS_FILE',
  )
  const both = { OPENAI_MODEL: 'm', MODELS_FILE: 'models.json' }
  t.is(problemOf(both), 'OPENAI_MODEL and MODELS_FILE are both set. Set only one of them')
})
