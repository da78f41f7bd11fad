import * as v from 'valibot'
import { demoModels, openAiModels, type ModelsConfig } from './models-config.ts'
import { readModelsFile } from './models-file.ts'
import { ConfigError, present, readEnvironment, settings, type Environment } from './environment.ts'
import { withFiles } from './setting-files.ts'
import { readAll } from './read-all.ts'

const schema = v.pick(settings, ['MODELS_FILE', 'OPENAI_MODEL', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'])

/**
 * The AI models of MODELS_FILE, or the one that OPENAI_MODEL names, or the demo model alone. The file may name any
 * variable for a key, so it is read against the whole environment. Throws a ConfigError that names every problem.
 */
export function readModels(given?: Environment): ModelsConfig {
  const { env } = withFiles(present(given), Object.keys(schema.entries))
  const { variables, file } = readAll({
    variables: () => readEnvironment(schema, given),
    together: () => refuseIf(combinationProblems(env)),
    file: () => (env['OPENAI_MODEL'] === undefined ? fromFile(env) : undefined),
  })
  const { OPENAI_MODEL: model, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = variables
  return file ?? (model === undefined ? demoModels : openAiModels({ model, apiKey, baseUrl }))
}

function fromFile(env: Record<string, string>): ModelsConfig | undefined {
  if (env['MODELS_FILE'] === undefined) return undefined
  const { config, problems } = readModelsFile(env['MODELS_FILE'], env)
  refuseIf(problems)
  return config
}

function refuseIf(problems: string[]): void {
  if (problems.length > 0) throw new ConfigError(problems)
}

function combinationProblems(env: Environment): string[] {
  const has = (name: string): boolean => env[name] !== undefined
  if (!has('OPENAI_MODEL')) {
    return has('OPENAI_BASE_URL') && !has('MODELS_FILE') ? ['OPENAI_MODEL is required if OPENAI_BASE_URL is set'] : []
  }
  if (has('MODELS_FILE')) return ['OPENAI_MODEL and MODELS_FILE are both set. Set only one of them']
  return has('OPENAI_API_KEY') || has('OPENAI_BASE_URL')
    ? []
    : ['OPENAI_MODEL requires OPENAI_API_KEY, or OPENAI_BASE_URL for another server']
}
