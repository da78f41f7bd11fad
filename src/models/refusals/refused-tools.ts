import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ModelTool } from '../offer/model-tool.ts'

const mostKnown = 10_000
/** A provider may take tomorrow what it refuses today. */
const knownMs = 60 * 60 * 1000

/** The tools that the provider of a model has refused, by what was said of them: a tool that changes is asked with again. */
export function createRefusedTools() {
  const known = new LRUCache<string, true>({ max: mostKnown, ttl: knownMs })

  return {
    note: (model: string, tool: ModelTool): void => void known.set(keyOf(model, tool), true),
    has: (model: string, tool: ModelTool): boolean => known.size > 0 && known.has(keyOf(model, tool)),
  }
}

const keyOf = (model: string, { name, siteName, description, inputSchema }: ModelTool): string =>
  createHash('sha256')
    .update(JSON.stringify([model, name, siteName, description, inputSchema]))
    .digest('base64')
