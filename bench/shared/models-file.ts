import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes a MODELS_FILE with one model of a Chat Completions server. Returns its path. */
export function writeModelsFile(folder: string, baseUrl: string, contextTokens: number): string {
  const model = { id: 'bench-model', contextTokens, maxOutputTokens: 4096, price: { input: 1, output: 4 } }
  const provider = { name: 'bench', kind: 'openai-compatible', baseUrl, concurrency: 1000, models: [model] }
  const file = join(folder, 'models.json')
  writeFileSync(file, JSON.stringify({ providers: [provider] }))
  return file
}
