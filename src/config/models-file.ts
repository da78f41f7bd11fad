import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { demoModels, type ModelsConfig, type ProviderConfig } from './models-config.ts'
import type { Environment } from './environment.ts'
import { expectation } from './expectation.ts'
import { placeOf } from './members.ts'
import { modelsFile, type ModelsFile, type WrittenModel, type WrittenProvider } from './models-format.ts'
import { key } from './provider-formats.ts'

/** MODELS_FILE: the AI providers and their models, as JSON (docs/operations.md, "Models"). */

/**
 * What the file says, or a sentence for each problem. Sentences quote nothing that may be a secret in the wrong place:
 * no value but the names of providers and models, which users see, too, and no member that is not known.
 */
export function readModelsFile(path: string, env: Environment): { config?: ModelsConfig; problems: string[] } {
  const written = parse(path)
  if ('problem' in written) return { problems: [`MODELS_FILE ${written.problem}`] }
  const result = v.safeParse(modelsFile, written.value, { abortPipeEarly: true, message: expectation })
  if (!result.success)
    return { problems: result.issues.map((issue) => `MODELS_FILE: ${placeOf(issue)} ${issue.message}`) }
  const problems = contradictions(result.output, env)
  if (problems.length > 0) return { problems: problems.map((problem) => `MODELS_FILE: ${problem}`) }
  return { config: toConfig(result.output, env), problems: [] }
}

function parse(path: string): { value: unknown } | { problem: string } {
  if (/^\s*[[{]/.test(path)) return { problem: 'must be the path of a file, not its content' }
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) as unknown }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `names ${path}, which is not JSON` }
    return { problem: `names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

/** What is well-formed, but cannot be used. */
function contradictions({ default: chosen, providers }: ModelsFile, env: Environment): string[] {
  const names = providers.flatMap(({ models }) => models.map(nameOf))
  const known = chosen === undefined || names.includes(chosen)
  return [
    ...twice(providers.map((one) => one.name)).map((one) => `two providers have the name ${one}`),
    ...twice(names).map((one) => `two models have the name ${one}; give one of them another \`name\``),
    ...(known ? [] : [`default must be the name of a model: ${[...new Set(names)].join(', ')}`]),
    ...providers.flatMap(({ models }) =>
      models.filter(isAllAnswer).map((one) => `the model ${nameOf(one)} ${allAnswer}`),
    ),
    ...providers.flatMap((one) => missing(one, env).map((problem) => `the provider ${one.name} ${problem}`)),
  ]
}

const twice = (names: string[]): string[] => [...new Set(names.filter((one, index) => names.indexOf(one) < index))]

const isAllAnswer = ({ contextTokens = Infinity, maxOutputTokens = 0 }: WrittenModel): boolean =>
  maxOutputTokens >= contextTokens
const allAnswer = 'needs `maxOutputTokens` below `contextTokens`: prompt and answer share the window'

const nameOf = ({ name: own, id }: { name?: string | undefined; id: string }): string => own ?? id

/** The members that name a variable. */
const keyMembers = ['apiKeyEnv', 'accessKeyIdEnv', 'secretAccessKeyEnv', 'sessionTokenEnv'] as const

/** What is wrong with the variables that a provider's members name. */
function keyProblems(given: WrittenProvider, env: Environment): string[] {
  return keyMembers.flatMap((member) => {
    const variable = given[member]
    if (variable === undefined) return []
    const { issues } = v.safeParse(key, env[variable] ?? '')
    if (!issues) return []
    const { message } = issues[0]
    return isUsual(variable)
      ? `names the environment variable ${variable}, which ${message}`
      : `names in \`${member}\` an environment variable that ${message}`
  })
}

/** A key that stands in place of its variable has small letters, or no underscore. */
const isUsual = (variable: string): boolean => /^[A-Z]+(_[A-Z0-9]+)+$/.test(variable)

function missing(given: WrittenProvider, env: Environment): string[] {
  const needed = (has: boolean, what: string) => (has ? [] : [`needs ${what}`])
  const { kind } = given
  const hasKey = given.apiKeyEnv !== undefined
  const hasAws = given.accessKeyIdEnv !== undefined && given.secretAccessKeyEnv !== undefined
  return [
    ...keyProblems(given, env),
    ...(['openai', 'anthropic', 'google', 'mistral', 'azure'].includes(kind) ? needed(hasKey, '`apiKeyEnv`') : []),
    ...(kind === 'azure' || kind === 'openai-compatible' ? needed(given.baseUrl !== undefined, '`baseUrl`') : []),
    ...(kind === 'amazon-bedrock' ? needed(given.region !== undefined, '`region`') : []),
    ...(kind === 'amazon-bedrock'
      ? needed(hasKey || hasAws, '`apiKeyEnv`, or `accessKeyIdEnv` and `secretAccessKeyEnv`')
      : []),
  ]
}

function toConfig({ default: chosen, providers }: ModelsFile, env: Environment): ModelsConfig {
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
  name === undefined ? undefined : v.parse(key, env[name])
