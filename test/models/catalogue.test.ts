import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as models from '../../api/models.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openModels, theKey } from './stage.ts'

const providers = [
  { name: 'openai', kind: 'openai', apiKeyEnv: 'THE_KEY', models: [{ id: 'gpt-5-mini' }] },
  { name: 'claude', kind: 'anthropic', apiKeyEnv: 'THE_KEY', models: [{ id: 'claude-opus-5', maxOutputTokens: 8000 }] },
  {
    name: 'local',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    models: [
      {
        id: 'llama3.2',
        name: 'small',
        contextTokens: 8000,
        price: { input: 0.1, output: 0.2, cacheRead: 0 },
        stream: false,
      },
      { id: 'gpt-5-mini', name: 'not-what-it-says' },
    ],
  },
]

/** They cost money, and the sandbox gives it away. */
const paid = { BILLING: 'sandbox', BILLING_SANDBOX_WITH_PAID_MODELS: 'true' }

const platformOf = sharedPlatform(test, 'idle')
const open = forWholeFile(test, 'catalogue', (t) =>
  openModels(t, providers, { default: 'small', worker: false, env: paid }),
)

test('models are listed with what is known of them, and without keys', async (t) => {
  const { platform } = await open()
  const answer = await call(await customer(platform), models.listModels)
  const [openai, claude, small, other] = answer.body.items
  t.like(openai, { name: 'gpt-5-mini', provider: 'openai', isDefault: false, contextTokens: 400_000, streams: true })
  t.like(openai?.price, { source: 'genai-prices', input: 0.25, output: 2, cacheRead: 0.025 })
  t.like(claude, { contextTokens: 1_000_000, maxOutputTokens: 8000 })
  t.like(claude?.price, { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 })
  t.like(small, { name: 'small', provider: 'local', isDefault: true, contextTokens: 8000, streams: false })
  t.deepEqual(small?.price, { source: 'configured', input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0.1 })
  t.like(other, { contextTokens: 128_000, price: null }, 'a server of nobody knows may call its models anything')
  t.false(JSON.stringify(answer.body).includes(theKey))
})

test('without configuration there is the demo model', async (t) => {
  const { body } = await call(await customer(await platformOf()), models.listModels)
  t.deepEqual(
    body.items.map(({ name, isDefault }) => [name, isDefault]),
    [['demo', true]],
  )
})

test('agents choose among the configured models, and a fallback is another one', async (t) => {
  const { platform } = await open()
  const someone = await customer(platform)
  const agent = await agentOf(someone, { model: 'gpt-5-mini', fallbackModel: 'claude-opus-5' })
  t.like(agent, { model: 'gpt-5-mini', fallbackModel: 'claude-opus-5', outputSchema: null, summarizes: false })
  const change = (body: object) => call(someone, agents.updateAgent, { params: { agentId: agent.id }, body })
  const refusals: [body: object, path: string][] = [
    [{ model: 'gpt-9' }, 'model'],
    [{ fallbackModel: 'llama3.2' }, 'fallbackModel'],
    [{ fallbackModel: 'gpt-5-mini' }, 'fallbackModel'],
    [{ model: null, fallbackModel: 'small' }, 'fallbackModel'],
  ]
  for (const [body, path] of refusals) {
    const { code, details } = (await change(body)).failure
    t.deepEqual([code, details?.[0]?.path], ['VALIDATION_ERROR', path], JSON.stringify(body))
  }
  t.like((await change({ model: null })).body, { model: null, fallbackModel: 'claude-opus-5' })
})
