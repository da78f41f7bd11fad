import test from 'ava'
import type { ModelConfig, ProviderConfig, ProviderKind } from '../../../src/config/models-config.ts'
import { sentTool } from '../../../src/models/offer/model-tool.ts'
import { requestOptions } from '../../../src/models/request-options.ts'
import { loadAdapter } from '../../../src/models/providers/adapters.ts'
import { isAskedForSchemas } from '../../../src/models/structured-output.ts'

type Schema = Record<string, unknown>

const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

const { tool: look } = sentTool({ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }, 'openai')

interface Case {
  kind: ProviderKind
  id?: string
  schema?: Schema
  hasTools?: boolean
  more?: Partial<ModelConfig>
}

const providerOf = (kind: ProviderKind): ProviderConfig => ({
  name: 'p',
  kind,
  baseUrl: 'https://provider.example/v1',
  apiKey: 'key',
  region: 'eu-central-1',
  concurrency: 1,
})

/** What the adapter of a kind sends, in JSON text. */
async function sentBy({ kind, id = 'claude-sonnet-4-5 anthropic', schema = closed, hasTools = false, more }: Case) {
  const model: ModelConfig = { name: id, id, provider: 'p', structuredOutput: true, ...more }
  const provider = providerOf(kind)
  const bodies: string[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    bodies.push(init?.body as string)
    return Promise.resolve(Response.json({}, { status: 400 }))
  }
  const structuredOutput = isAskedForSchemas(model, provider)
  const adapter = await loadAdapter({ provider, id, structuredOutput, fetch, demoDirectives: false })
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello.' }] }]
  const options = requestOptions({ model, provider, cacheKey: 'k', outputSchema: schema, hasTools })
  await Promise.resolve(adapter.doGenerate({ prompt, ...(hasTools && { tools: [look] }), ...options })).catch(() => 0)
  const [body = '{}', ...others] = bodies
  if (others.length > 0) throw new Error('there was more than one request')
  return JSON.parse(body) as Record<string, unknown>
}

/** Where each provider is told what an answer has to look like. */
const formatIn: Record<string, (body: Record<string, unknown>) => unknown> = {
  openai: ({ text }) => (text as Schema | undefined)?.['format'],
  azure: ({ text }) => (text as Schema | undefined)?.['format'],
  anthropic: (body) => (body['output_config'] as Schema | undefined)?.['format'],
  google: (body) => (body['generationConfig'] as Schema | undefined)?.['responseJsonSchema'],
  'amazon-bedrock': (body) =>
    ((body['additionalModelRequestFields'] as Schema | undefined)?.['output_config'] as Schema | undefined)?.['format'],
  mistral: (body) => body['response_format'],
  'openai-compatible': (body) => body['response_format'],
}

const formatOf = async (one: Case) => formatIn[one.kind]?.(await sentBy(one))

const kinds = Object.keys(formatIn) as ProviderKind[]

test('every provider is told the schema in its own way, beside no tools', async (t) => {
  const strictness = { openai: false, azure: false, mistral: false, 'openai-compatible': false } as Record<
    string,
    boolean
  >
  for (const kind of kinds) {
    const format = (await formatOf({ kind })) as Schema | undefined
    t.true(JSON.stringify(format).includes(JSON.stringify(closed.properties)), kind)
    const { strict } = { ...format, ...(format?.['json_schema'] as object | undefined) } as { strict?: boolean }
    t.is(strict, strictness[kind], kind)
  }
})

test('tools beside a schema are those of the agent, and none has to be called', async (t) => {
  for (const kind of kinds) {
    for (const id of ['claude-sonnet-4-5 anthropic', 'gemini-2.5-flash', 'gemini-3-pro', 'amazon.nova-pro']) {
      const body = JSON.stringify(await sentBy({ kind, id, hasTools: true }))
      t.regex(body, /"name":"look"/, kind)
      t.notRegex(
        body,
        /"name":"json"|Respond with a JSON|"required":true|"any":|"ANY"|"tool_choice":("required"|\{)/,
        kind,
      )
    }
  }
})

test('where tools and a schema exclude each other, tools go first', async (t) => {
  const both: [kind: ProviderKind, id: string, isSent: boolean][] = [
    ['openai', 'gpt-5', true],
    ['azure', 'gpt-5', true],
    ['anthropic', 'claude-sonnet-4-5', true],
    ['amazon-bedrock', 'eu.anthropic.claude-sonnet-4-5', true],
    ['amazon-bedrock', 'amazon.nova-pro', false],
    ['google', 'gemini-2.5-flash', false],
    ['google', 'gemini-flash-latest', false],
    ['google', 'gemini-3-pro', true],
    ['mistral', 'mistral-large', false],
    ['openai-compatible', 'llama3.2', false],
  ]
  for (const [kind, id, isSent] of both) {
    t.is((await formatOf({ kind, id, hasTools: true })) !== undefined, isSent, `${kind} ${id}`)
  }
})

test('a schema that the provider would refuse or change is left to the words', async (t) => {
  const open: Schema = { type: 'object', properties: { a: { type: 'object' } }, required: ['a'] }
  const map: Schema = { type: 'object', properties: {}, additionalProperties: { type: 'string' } }
  const parts: Schema = { type: 'object', properties: {}, allOf: [closed, closed] }
  const names = Array.from({ length: 11 }, (_, index) => `m${index}`)
  const optional: Schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) }
  const list: Schema = { type: 'array', items: { type: 'string' } }
  for (const schema of [open, map, parts, optional, list]) {
    t.is(await formatOf({ kind: 'anthropic', schema }), undefined, JSON.stringify(schema))
    t.is(await formatOf({ kind: 'amazon-bedrock', schema }), undefined, JSON.stringify(schema))
  }
  t.is(await formatOf({ kind: 'openai', schema: list }), undefined)
  t.is(await formatOf({ kind: 'openai', schema: { ...closed, propertyNames: false } }), undefined)
  t.truthy(await formatOf({ kind: 'openai', schema: open }))
})

test('only the Responses API is asked unless MODELS_FILE says so, and it can be told not to', async (t) => {
  for (const kind of kinds) {
    const usual = kind === 'openai' || kind === 'azure'
    const asked = (more: Partial<ModelConfig>) =>
      isAskedForSchemas({ name: 'm', id: 'm', provider: 'p', ...more }, providerOf(kind))
    t.is(asked({}), usual, kind)
    t.true(asked({ structuredOutput: true }), kind)
    t.false(asked({ structuredOutput: false }), kind)
  }
  t.false(isAskedForSchemas({ name: 'm', id: 'm', provider: 'p', structuredOutput: true }, providerOf('demo')))
  const told = await formatOf({ kind: 'openai', more: { options: { strictJsonSchema: true } } })
  t.like(told, { strict: true })
  t.is(await formatOf({ kind: 'openai', more: { structuredOutput: false } }), undefined)
})
