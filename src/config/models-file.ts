import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { demoModels, providerKinds, type ModelsConfig, type ProviderConfig } from './models-config.ts'
import type { Environment } from './environment.ts'

/** MODELS_FILE: the AI providers and their models, as JSON (docs/operations.md, "Models"). */

const text = (message: string) => v.pipe(v.string(message), v.nonEmpty(message))
const name = v.pipe(
  v.string('must be a text'),
  v.regex(/^[\w.:/@-]{1,100}$/, 'must be 1 to 100 letters, digits or any of . : / @ - _'),
)
const variable = v.pipe(v.string(), v.regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable'))
const count = (min: number, max: number) =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )
const usd = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must not be negative'),
  v.maxValue(100_000, 'must be USD per million tokens'),
)

const price = v.strictObject({
  input: usd,
  output: usd,
  cacheRead: v.optional(usd),
  cacheWrite: v.optional(usd),
})

const model = v.strictObject({
  id: text('must be the name that the provider knows the model by'),
  name: v.optional(name),
  contextTokens: v.optional(count(1000, 100_000_000)),
  maxOutputTokens: v.optional(count(1, 10_000_000)),
  price: v.optional(price),
  stream: v.optional(v.boolean('must be true or false')),
  structuredOutput: v.optional(v.boolean('must be true or false')),
  options: v.optional(v.record(v.string(), v.unknown())),
})

const provider = v.strictObject({
  name,
  kind: v.picklist(providerKinds, `must be one of ${providerKinds.join(', ')}`),
  baseUrl: v.optional(
    v.pipe(
      v.string(),
      v.url('must be a complete URL'),
      v.regex(/^https?:/, 'must begin with https:// or http://'),
      v.transform((url) => url.replace(/\/+$/, '')),
    ),
  ),
  apiKeyEnv: v.optional(variable),
  apiVersion: v.optional(text('must be a text')),
  region: v.optional(text('must be a text')),
  accessKeyIdEnv: v.optional(variable),
  secretAccessKeyEnv: v.optional(variable),
  sessionTokenEnv: v.optional(variable),
  headers: v.optional(v.record(v.string(), v.string())),
  concurrency: v.optional(count(1, 10_000), 100),
  models: v.pipe(v.array(model, 'must be a list'), v.minLength(1, 'must name at least one model')),
})

const file = v.strictObject({
  default: v.optional(name),
  providers: v.pipe(v.array(provider, 'must be a list'), v.minLength(1, 'must name at least one provider')),
})

type File = v.InferOutput<typeof file>
type WrittenProvider = File['providers'][number]

/** What the file says, or a sentence for each problem. The values of keys are in no sentence. */
export function readModelsFile(path: string, env: Environment): { config?: ModelsConfig; problems: string[] } {
  const written = parse(path)
  if ('problem' in written) return { problems: [`MODELS_FILE ${written.problem}`] }
  const result = v.safeParse(file, written.value, { abortPipeEarly: true })
  if (!result.success) return { problems: result.issues.map((issue) => `MODELS_FILE: ${inWords(issue)}`) }
  const problems = contradictions(result.output, env)
  if (problems.length > 0) return { problems: problems.map((problem) => `MODELS_FILE: ${problem}`) }
  return { config: toConfig(result.output, env), problems: [] }
}

function inWords(issue: v.BaseIssue<unknown>): string {
  const place = v.getDotPath(issue) ?? 'the file'
  if (issue.type !== 'strict_object') return `${place} ${issue.message}`
  if (issue.expected === 'never') return `${place} is not known`
  return issue.received === 'undefined' ? `${place} is missing` : `${place} must be an object`
}

function parse(path: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) as unknown }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `names ${path}, which is not JSON` }
    return { problem: `names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

/** What is well-formed, but cannot be used. */
function contradictions({ default: chosen, providers }: File, env: Environment): string[] {
  const names = providers.flatMap(({ models }) => models.map(nameOf))
  const known = chosen === undefined || names.includes(chosen)
  return [
    ...twice(providers.map((one) => one.name)).map((one) => `two providers have the name ${one}`),
    ...twice(names).map((one) => `two models have the name ${one}; give one of them another \`name\``),
    ...(known ? [] : [`default is ${chosen}, but no model has that name`]),
    ...providers.flatMap((one) => missing(one, env).map((problem) => `the provider ${one.name} ${problem}`)),
  ]
}

const twice = (names: string[]): string[] => [...new Set(names.filter((one, index) => names.indexOf(one) < index))]

const nameOf = ({ name: own, id }: { name?: string | undefined; id: string }): string => own ?? id

function missing(given: WrittenProvider, env: Environment): string[] {
  const variables = [given.apiKeyEnv, given.accessKeyIdEnv, given.secretAccessKeyEnv, given.sessionTokenEnv]
  const unset = variables.filter((one) => one !== undefined && !env[one])
  const needed = (has: boolean, what: string) => (has ? [] : [`needs ${what}`])
  const { kind } = given
  const hasKey = given.apiKeyEnv !== undefined
  const hasAws = given.accessKeyIdEnv !== undefined && given.secretAccessKeyEnv !== undefined
  return [
    ...unset.map((one) => `names the environment variable ${one}, which is not set`),
    ...(['openai', 'anthropic', 'google', 'mistral', 'azure'].includes(kind) ? needed(hasKey, '`apiKeyEnv`') : []),
    ...(kind === 'azure' || kind === 'openai-compatible' ? needed(given.baseUrl !== undefined, '`baseUrl`') : []),
    ...(kind === 'amazon-bedrock' ? needed(given.region !== undefined, '`region`') : []),
    ...(kind === 'amazon-bedrock'
      ? needed(hasKey || hasAws, '`apiKeyEnv`, or `accessKeyIdEnv` and `secretAccessKeyEnv`')
      : []),
  ]
}

function toConfig({ default: chosen, providers }: File, env: Environment): ModelsConfig {
  const models = providers.flatMap((one) =>
    one.models.map((written) => ({ ...written, name: nameOf(written), provider: one.name })),
  )
  return { default: chosen ?? models[0]?.name ?? demoModels.default, providers: providers.map(toProvider(env)), models }
}

const toProvider =
  (env: Environment) =>
  (written: WrittenProvider): ProviderConfig => ({
    name: written.name,
    kind: written.kind,
    baseUrl: written.baseUrl,
    apiVersion: written.apiVersion,
    region: written.region,
    headers: written.headers,
    concurrency: written.concurrency,
    apiKey: valueOf(env, written.apiKeyEnv),
    accessKeyId: valueOf(env, written.accessKeyIdEnv),
    secretAccessKey: valueOf(env, written.secretAccessKeyEnv),
    sessionToken: valueOf(env, written.sessionTokenEnv),
  })

const valueOf = (env: Environment, name: string | undefined): string | undefined =>
  name === undefined ? undefined : env[name]
