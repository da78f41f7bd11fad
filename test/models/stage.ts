import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { openStage, type StageOptions } from '../helpers/runs.ts'
import { ownFolder } from '../helpers/servers.ts'

/** A provider as MODELS_FILE describes it. */
export interface WrittenProvider {
  name: string
  kind: string
  models: ({ id: string } & Record<string, unknown>)[]
  [member: string]: unknown
}

/** A platform whose models are those of a MODELS_FILE; providers find their key in THE_KEY. */
export async function openModels(
  t: ExecutionContext,
  providers: WrittenProvider[],
  { env = {}, ...options }: StageOptions & { default?: string } = {},
) {
  const { default: chosen, ...rest } = options
  const given = modelsEnvironment(providers, chosen)
  const stage = await openStage(t, { ...rest, env: { ...given, ...env } })
  return { ...stage, modelsFile: given.MODELS_FILE }
}

/** The environment in which these are the models. */
export function modelsEnvironment(providers: WrittenProvider[], chosen?: string) {
  const file = join(ownFolder(), 'models.json')
  writeFileSync(file, JSON.stringify({ ...(chosen && { default: chosen }), providers }))
  return { MODELS_FILE: file, THE_KEY: theKey }
}

/** No text that would occur by chance. */
export const theKey = 'sk-test-4f1c9d2ab7e8'
