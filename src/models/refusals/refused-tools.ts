import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ModelTool } from '../offer/model-tool.ts'

const mostKnown = 10_000
/** A provider may accept tomorrow what it refuses today. */
const knownMs = 60 * 60 * 1000

/**
 * The tools that a model's provider refused, and its maximum number of tools, per owner. A changed tool is tried again.
 * Owners do not share this, because a provider's message may quote a stranger's tools.
 */
export function createRefusedTools() {
  const known = new LRUCache<string, true>({ max: mostKnown, ttl: knownMs })
  const counts = new LRUCache<string, number>({ max: mostKnown, ttl: knownMs })

  return {
    note: (model: string, owner: string, tool: ModelTool): void => void known.set(keyOf(model, owner, tool), true),
    has: (model: string, owner: string, tool: ModelTool): boolean =>
      known.size > 0 && known.has(keyOf(model, owner, tool)),

    noteMost: (model: string, owner: string, most: number): void =>
      void counts.set(JSON.stringify([model, owner]), most),
    mostFor: (model: string, owner: string): number => counts.get(JSON.stringify([model, owner])) ?? Infinity,
  }
}

const keyOf = (model: string, owner: string, { name, siteName, description, inputSchema }: ModelTool): string =>
  createHash('sha256')
    .update(JSON.stringify([model, owner, name, siteName, description, inputSchema]))
    .digest('base64')
