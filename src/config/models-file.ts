import { isObject } from '../json.ts'
import * as v from 'valibot'
import { demoModels, type ModelsConfig, type ProviderConfig } from './models-config.ts'
import type { Environment } from './environment.ts'
import { expectedForm } from './expected-form.ts'
import { readJsonFile } from './json-file.ts'
import { placeOf } from './only-members.ts'
import { modelsFile, secretNames, type ModelsFile, type WrittenModel, type WrittenProvider } from './models-format.ts'
import { contradictions } from './models-problems.ts'
import { key } from './provider-formats.ts'
import { contentOf, withFiles } from './setting-files.ts'

/** MODELS_FILE: the AI providers and their models, as JSON (docs/operate/models.md, "Several models"). */

/**
 * The file's content, or a sentence for each problem. Sentences quote only the names of providers and models, because
 * other values may be misplaced secrets.
 */
export function readModelsFile(
  path: string,
  env: Record<string, string>,
): { config?: ModelsConfig; problems: string[] } {
  const written = readJsonFile(path)
  if ('problem' in written) return { problems: [`MODELS_FILE ${written.problem}`] }
  const result = v.safeParse(modelsFile, written.value, { abortPipeEarly: true, message: expectedForm })
  const issues = result.issues?.map((issue) => `${placeOf(issue)} ${issue.message}`) ?? []
  const named = withFiles(env, variablesIn(written.value))
  const problems = [...issues, ...contradictions(written.value, named.env)].map((problem) => `MODELS_FILE: ${problem}`)
  const all = [...named.problems, ...problems]
  if (result.success && all.length === 0) return { config: toConfig(result.output, named.env), problems: all }
  return { problems: all }
}

/** The well-formed variable names in the providers' members. */
function variablesIn(file: unknown): string[] {
  const providers: unknown[] = isObject(file) && Array.isArray(file['providers']) ? file['providers'] : []
  const values = providers.filter(isObject).flatMap((one) => secretNames.map((name) => one[`${name}Env`]))
  return values.filter((value) => typeof value === 'string')
}

const nameOf = ({ name: own, id }: WrittenModel): string => own ?? id

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
    ...Object.fromEntries(secretNames.map((name) => [name, secretOf(env, written, name)])),
  })

function secretOf(
  env: Environment,
  written: WrittenProvider,
  secret: (typeof secretNames)[number],
): string | undefined {
  const { [`${secret}Env` as const]: variable, [`${secret}File` as const]: path } = written
  if (variable === undefined && path === undefined) return undefined
  return v.parse(key, variable === undefined ? contentOf(path ?? '', () => undefined) : env[variable])
}
