import type { ErrorDetail } from '../../../errors.ts'
import { hidingOf } from '../../../hiding/hiding-cache.ts'
import { isObject, parseJson } from '../../../json.ts'
import { foreignName, foreignText } from '../../foreign-texts.ts'
import type { Manifest } from '../../manifest.ts'
import { namedLeftOut } from '../../left-out.ts'
import type { ManifestTool, ProposedEffect } from '../../tool.ts'
import { pickTools, type Picked, type PickedTool } from './pick-tools.ts'

/** What a server said, and what is known about it. */
export interface Listing {
  url: string
  auth: Manifest['auth']
  server: { name?: unknown; title?: unknown; version?: unknown; description?: unknown; instructions?: unknown }
  /** The results that hold the list. */
  pages: unknown[]
}

export type ReadTools = { text: string } | { problems: ErrorDetail[] }

/**
 * Makes the manifest of an MCP server from its list of tools, both as JSON texts, or says why no tool is usable. A server
 * may quote the token that it lists for, so secrets are masked. Runs in a thread, because strangers' input decides how
 * long it takes.
 */
export async function readTools({ text, secrets }: { text: string; secrets: readonly string[] }): Promise<ReadTools> {
  const parsed = parseJson((await hidingOf(secrets)).json(text))
  if (!parsed.ok) return { problems: [{ path: parsed.path, message: parsed.problem }] }
  const listing = parsed.value as Listing
  const lists = listing.pages.map((page) => (isObject(page) ? page['tools'] : undefined))
  if (!lists.every(Array.isArray)) return { problems: [{ path: 'tools', message: 'must be a list' }] }
  const picked = pickTools(lists.flat() as unknown[])
  const { usable, leftOut } = picked
  if (usable.length > 0 || leftOut.length === 0) return { text: JSON.stringify(manifestOf(listing, picked)) }
  return { problems: namedLeftOut(leftOut).map(({ name, problem }) => ({ path: `tools.${name}`, message: problem })) }
}

function manifestOf({ url, auth, server }: Listing, { usable, leftOut }: Picked): Manifest {
  const { host } = new URL(url)
  return {
    name: foreignName(server.title) ?? foreignName(server.name) ?? host,
    version: foreignText(server.version, 100) ?? 'unknown',
    description: foreignText(server.description) ?? foreignText(server.instructions) ?? `The MCP server at ${host}.`,
    server: { url },
    auth,
    tools: usable.map(toTool),
    ...(leftOut.length > 0 && { left_out: namedLeftOut(leftOut) }),
  }
}

/** Members whose meaning the platform does not know are left out. */
function toTool({ name, title, description, inputSchema, outputSchema, ...others }: PickedTool): ManifestTool {
  const { annotations, execution } = others
  const proposed = isObject(annotations) ? proposalIn(annotations) : undefined
  const job = isObject(execution) ? jobIn(execution) : undefined
  return {
    name,
    description: foreignText(description) ?? foreignText(title) ?? name,
    input_schema: inputSchema,
    ...(outputSchema && { output_schema: outputSchema }),
    ...(proposed && { proposed_effect: proposed }),
    ...(job && { job }),
  }
}

/** What a tool's hints say about repeated calls (MCP 2026-07-28, ToolAnnotations). Contradictory ones say nothing. */
function proposalIn(hints: Record<string, unknown>): ProposedEffect | undefined {
  if (hints['readOnlyHint'] === true) return hints['destructiveHint'] === true ? undefined : 'read'
  return hints['idempotentHint'] === true ? 'idempotent' : undefined
}

/** Whether calls of the tool can be tasks (MCP 2025-11-25, ToolExecution). Later revisions do not say it of tools. */
function jobIn({ taskSupport }: Record<string, unknown>): ManifestTool['job'] {
  if (taskSupport === 'optional') return 'possible'
  return taskSupport === 'required' ? taskSupport : undefined
}
