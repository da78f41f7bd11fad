import * as v from 'valibot'
import { demoModels, openAiModels, type ModelsConfig } from './models-config.ts'
import { readModelsFile } from './models-file.ts'
import { ConfigError, present, readEnvironment, settings, type Environment } from './environment.ts'
import { withSecretFiles } from './secret-files.ts'

const variables = v.pick(settings, ['MODELS_FILE', 'OPENAI_MODEL', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'])

/**
 * The AI models of an environment: those of MODELS_FILE, or the one that OPENAI_MODEL names, or the demo model alone.
 * The file may name any variable for a key, so it is read against the whole environment. Throws a ConfigError that names
 * every problem.
 */
export function readModels(given?: Environment): ModelsConfig {
  const { env } = withSecretFiles(present(given))
  const read = readEnvironment(variables, given)
  const { MODELS_FILE: path, OPENAI_MODEL: model, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = read
  if (path !== undefined && model !== undefined) {
    throw new ConfigError(['OPENAI_MODEL is set, and so is MODELS_FILE; set one of the two'])
  }
  if (path !== undefined) return fromFile(path, env)
  if (model !== undefined) return fromVariables(model, apiKey, baseUrl)
  if (baseUrl !== undefined) throw new ConfigError(['OPENAI_MODEL is required where OPENAI_BASE_URL is set'])
  return demoModels
}

function fromFile(path: string, env: Environment): ModelsConfig {
  const { config, problems } = readModelsFile(path, env)
  if (!config) throw new ConfigError(problems)
  return config
}

function fromVariables(model: string, apiKey: string | undefined, baseUrl: string | undefined): ModelsConfig {
  if (apiKey === undefined && baseUrl === undefined) {
    throw new ConfigError(['OPENAI_MODEL needs OPENAI_API_KEY, or OPENAI_BASE_URL for another server'])
  }
  return openAiModels({ model, apiKey, baseUrl })
}
