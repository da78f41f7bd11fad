import type { ErrorDetail } from '../../../errors.ts'
import { hidingOf } from '../../../hiding/hiding-cache.ts'
import { isObject, lossyPlaces, parseJson } from '../../../json.ts'
import { cleanName, cut, problemOfName } from '../../../names.ts'
import { shortened, storable } from '../../../text.ts'
import type { Manifest } from '../../manifest.ts'
import { firstProblems } from '../../schema/first-problems.ts'
import { inputSchemaProblems, noPatterns } from '../../schema/input-schema.ts'
import type { ManifestTool } from '../../tool.ts'

/** More tools do not fit into a prompt or an overview. */
export const maxTools = 200
const maxText = 4000

/** What a server said, and what is known about it. */
export interface Listing {
  url: string
  auth: Manifest['auth']
  server: { name?: unknown; title?: unknown; version?: unknown; description?: unknown; instructions?: unknown }
  tools: unknown[]
}

export type ReadTools = { text: string } | { problems: ErrorDetail[] }

/**
 * Makes the manifest of an MCP server from its list of tools, both as JSON texts, or finds at most 50 problems. A server
 * may quote the token that it lists for, so secrets are masked. Runs in a thread, because strangers' input decides how
 * long it takes.
 */
export async function readTools({ text, secrets }: { text: string; secrets: readonly string[] }): Promise<ReadTools> {
  const parsed = parseJson((await hidingOf(secrets)).json(text))
  if (!parsed.ok) return { problems: [{ path: parsed.path, message: parsed.problem }] }
  const listing = parsed.value as Listing
  const problems = firstProblems(toolsProblems(listing.tools), 50)
  return problems.length > 0 ? { problems } : { text: JSON.stringify(manifestOf(listing)) }
}

function manifestOf({ url, auth, server, tools }: Listing): Manifest {
  const { host } = new URL(url)
  return {
    name: nameOf(server.title) ?? nameOf(server.name) ?? host,
    version: textOf(server.version, 100) ?? 'unknown',
    description: textOf(server.description) ?? textOf(server.instructions) ?? `The MCP server at ${host}.`,
    server: { url },
    auth,
    tools: tools.filter(isObject).map(toTool),
  }
}

/** Members whose meaning the platform does not know are left out. Hints are kept, and decide nothing. */
function toTool({ name, title, description, inputSchema, annotations }: Record<string, unknown>): ManifestTool {
  return {
    name: String(name),
    description: textOf(description) ?? textOf(title) ?? String(name),
    input_schema: inputSchema as Record<string, unknown>,
    ...(isObject(annotations) && { annotations: hintsIn(annotations) }),
  }
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

const hintsIn = (annotations: Record<string, unknown>): Record<string, boolean> =>
  Object.fromEntries(
    hints.flatMap((name) => {
      const value = annotations[name]
      return typeof value === 'boolean' ? [[name, value]] : []
    }),
  )

/** Names and texts are shortened, where a manifest's would be refused: most servers do not know the platform. */
function nameOf(given: unknown): string | undefined {
  const name = typeof given === 'string' ? cut(cleanName(storable(given)), 200) : ''
  return problemOfName(name, 200) === undefined ? name : undefined
}

const textOf = (given: unknown, most = maxText): string | undefined =>
  typeof given === 'string' && /\S/.test(given) ? shortened(storable(given), most - 1) : undefined

function* toolsProblems(tools: unknown[]): Generator<ErrorDetail> {
  const budget = noPatterns()
  const seen = new Set<unknown>()
  for (const [index, tool] of tools.entries()) {
    const place = `tools.${index}`
    if (!isObject(tool)) yield { path: place, message: 'must be an object' }
    else {
      const { name, inputSchema } = tool
      if (seen.has(name)) yield { path: `${place}.name`, message: "duplicates an earlier tool's name" }
      seen.add(name)
      if (!isToolName(name)) yield { path: `${place}.name`, message: nameRule }
      for (const { path, message } of [...inputSchemaProblems(inputSchema, budget), ...lossyTexts(inputSchema)])
        yield { path: `${place}.inputSchema${path && `.${path}`}`, message }
    }
  }
}

const nameRule = 'must have 1 to 128 letters, digits and the signs _ - . /'
const isToolName = (name: unknown): boolean => typeof name === 'string' && /^[\w./-]{1,128}$/.test(name)

/** Rounded numbers are accepted, as in a manifest. */
const lossyTexts = (value: unknown): ErrorDetail[] => [...lossyPlaces(value)].filter(({ kind }) => kind !== 'number')
