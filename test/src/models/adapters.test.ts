import test from 'ava'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ProviderConfig, ProviderKind } from '../../../src/config/models-config.ts'
import { loadAdapter } from '../../../src/models/providers/adapters.ts'

const stray = 'stray-of-the-environment'

/** All that the adapters would read, if they were let. */
const variables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'AZURE_API_KEY',
  'AZURE_RESOURCE_NAME',
  'MISTRAL_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
]
const addresses = ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME']

const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'Report.' }] }]

/** The address and the headers that an adapter would ask with, in an environment full of settings of other programs. */
async function requestOf(kind: ProviderKind, settings: Partial<ProviderConfig>) {
  const before = { ...process.env }
  for (const name of variables) process.env[name] = stray
  for (const name of addresses) process.env[name] = `https://${stray}.example`
  let seen = { url: '', headers: '' }
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = JSON.stringify([...new Headers(init?.headers)])
    seen = { url: input instanceof Request ? input.url : String(input), headers }
    return Promise.resolve(new Response('{}', { status: 400 }))
  }
  try {
    const provider = { name: 'one', kind, concurrency: 1, ...settings }
    const model = await loadAdapter({ provider, id: 'a-model', structuredOutput: false, fetch, demoDirectives: false })
    await model.doGenerate({ prompt }).then(undefined, () => undefined)
  } finally {
    for (const name of [...variables, ...addresses]) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
  return seen
}

const configured: [ProviderKind, Partial<ProviderConfig>, string][] = [
  ['openai', { apiKey: 'own-key' }, 'https://api.openai.com/v1/responses'],
  ['anthropic', { apiKey: 'own-key' }, 'https://api.anthropic.com/v1/messages'],
  ['google', { apiKey: 'own-key' }, 'https://generativelanguage.googleapis.com/v1beta/models/a-model:generateContent'],
  [
    'azure',
    { apiKey: 'own-key', baseUrl: 'https://one.openai.azure.com/openai' },
    'https://one.openai.azure.com/openai/v1/responses?api-version=v1',
  ],
  ['mistral', { apiKey: 'own-key' }, 'https://api.mistral.ai/v1/chat/completions'],
  [
    'amazon-bedrock',
    { apiKey: 'own-key', region: 'eu-west-1' },
    'https://bedrock-runtime.eu-west-1.amazonaws.com/model/a-model/converse',
  ],
  [
    'amazon-bedrock',
    { accessKeyId: 'own-key', secretAccessKey: 'secret', region: 'cn-north-1' },
    'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/a-model/converse',
  ],
  [
    'amazon-bedrock',
    { accessKeyId: 'own-key', secretAccessKey: 'secret', region: 'eusc-de-east-1' },
    'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu/model/a-model/converse',
  ],
  ['openai-compatible', { apiKey: 'own-key', baseUrl: 'http://one.example' }, 'http://one.example/chat/completions'],
]

for (const [index, [kind, settings, url]] of configured.entries()) {
  test.serial(
    `an adapter asks with what is configured, whatever the environment holds (${index + 1}, ${kind})`,
    async (t) => {
      const seen = await requestOf(kind, settings)
      t.is(seen.url, url)
      t.true(seen.headers.includes('own-key'))
      t.false(seen.headers.includes(stray))
    },
  )
}

test.serial('an OpenAI-compatible server without a key is asked without one', async (t) => {
  const { headers } = await requestOf('openai-compatible', { baseUrl: 'http://one.example' })
  t.false(headers.includes('authorization'))
})
