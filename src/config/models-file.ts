import * as v from 'valibot'
import { demoModels, type ModelsConfig, type ProviderConfig } from './models-config.ts'
import type { Environment } from './environment.ts'
import { expectation } from './expectation.ts'
import { readJsonFile } from './json-file.ts'
import { placeOf } from './members.ts'
import { modelsFile, type ModelsFile, type WrittenModel, type WrittenProvider } from './models-format.ts'
import { contradictions } from './models-problems.ts'
import { key } from './provider-formats.ts'

/** MODELS_FILE: the AI providers and their models, as JSON (docs/operations.md, "Models"). */

/**
 * What the file says, or a sentence for each problem. Sentences quote nothing that may be a secret in the wrong place:
 * no value but the names of providers and models, which users see, too, and no member that is not known.
 */
export function readModelsFile(path: string, env: Environment): { config?: ModelsConfig; problems: string[] } {
  const written = readJsonFile(path)
  if ('problem' in written) return { problems: [`MODELS_FILE ${written.problem}`] }
  const result = v.safeParse(modelsFile, written.value, { abortPipeEarly: true, message: expectation })
  const issues = result.issues?.map((issue) => `${placeOf(issue)} ${issue.message}`) ?? []
  const problems = [...issues, ...contradictions(written.value, env)]
  if (result.success && problems.length === 0) return { config: toConfig(result.output, env), problems }
  return { problems: problems.map((problem) => `MODELS_FILE: ${problem}`) }
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
    apiKey: valueOf(env, written.apiKeyEnv),
    accessKeyId: valueOf(env, written.accessKeyIdEnv),
    secretAccessKey: valueOf(env, written.secretAccessKeyEnv),
    sessionToken: valueOf(env, written.sessionTokenEnv),
  })

const valueOf = (env: Environment, name: string | undefined): string | undefined =>
  name === undefined ? undefined : v.parse(key, env[name])
