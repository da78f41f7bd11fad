import { isSame } from './same-json.ts'
import { isObject, joinPath } from '../../json.ts'
import { difference, type Difference } from './difference.ts'
import type { Manifest } from '../manifest.ts'
import { memberOf } from '../schema/schema-keywords.ts'
import { schemaChanges } from './schema-changes.ts'
import { describeTool, repeatRanks, type ManifestTool, type Scope, type SiteTool } from '../tool.ts'

/** The rank of a scope by what it allows. */
const scopeRanks: Record<Scope, number> = { read: 0, write: 1, delete: 2, admin: 3 }
const allScopes = new Set(Object.keys(scopeRanks) as Scope[])

export const neededScopes = ({ tools }: Manifest): Set<Scope> => new Set(tools.map((tool) => describeTool(tool).scope))

/** Whether the scopes of tools decide what may be called: not without sign-in, and not at a foreign authorization server. */
const countsScopes = ({ auth }: Manifest): boolean =>
  auth.type === 'bearer' ||
  (auth.type === 'oauth2' && ((auth.resource ?? auth.requested_scopes) === undefined || auth.scopes.length > 0))

/** What tools with a scope may do. A token that its user pasted has no scopes that the platform knows. */
const allowed: Record<Scope, string> = {
  read: 'read',
  write: 'change things',
  delete: 'delete things',
  admin: 'manage users and settings',
}

interface Scopes {
  /** The scopes that tools needed before. */
  needed: Set<Scope>
  /** Whether users grant them. */
  areGranted: boolean
}

/** The differences between the tools of two manifests. Tools are matched by name. */
export function* toolChanges(before: Manifest, after: Manifest): Generator<Difference> {
  const [earlier, later] = [before, after].map(({ tools }) => new Map(tools.map((tool) => [tool.name, tool])))
  const needed = countsScopes(after) ? neededScopes(before) : allScopes
  const scopes = { needed, areGranted: after.auth.type === 'oauth2' }
  for (const name of new Set([...(earlier?.keys() ?? []), ...(later?.keys() ?? [])])) {
    const [was, is] = [earlier?.get(name), later?.get(name)]
    const path = joinPath('tools', name)
    if (was && is) yield* oneTool(was, is, path, scopes)
    else if (is) yield addedTool(is, path, scopes)
    else yield difference(path, [was?.description, undefined], 'breaking', 'The tool has been removed.')
  }
}

function addedTool(tool: ManifestTool, path: string, { needed, areGranted }: Scopes): Difference {
  const { scope } = describeTool(tool)
  const pair = [undefined, tool.description] as const
  if (needed.has(scope)) return difference(path, pair, 'compatible', 'A tool has been added.')
  const more = areGranted
    ? `It needs the "${scope}" scope, which no tool needed before.`
    : `It may ${allowed[scope]}, which no tool did before.`
  return difference(path, pair, 'new_scope', `A tool has been added. ${more}`)
}

function* oneTool(was: ManifestTool, is: ManifestTool, path: string, scopes: Scopes): Generator<Difference> {
  if (isSame(was, is)) return
  const [before, after] = [describeTool(was), describeTool(is)]
  yield* schemaChanges(before.inputSchema, after.inputSchema, joinPath(path, 'input_schema'))
  if (before.scope !== after.scope) yield scopeChange(before, after, joinPath(path, 'scope'), scopes)
  if (before.effect !== after.effect) yield effectChange(before, after, joinPath(path, 'effect'))
  if (before.proposedEffect !== after.proposedEffect) yield proposalChange(before, after, joinPath(path, 'effect'))
  if (!isSame(was.request, is.request)) yield requestChange(was, is, joinPath(path, 'request'))
  yield* memberChanges(
    was,
    is,
    path,
    new Set(['input_schema', 'proposed_effect', 'request', ...changedOf(before, after)]),
  )
}

/** What was sent before must be sent as before. Then more may be sent, for further arguments. */
function requestChange({ request: was }: ManifestTool, { request: is }: ManifestTool, path: string): Difference {
  const pair = [was, is] as const
  if (isExtended(was, is)) return difference(path, pair, 'compatible', 'Calls can say more than before.')
  return difference(path, pair, 'changed_address', 'Calls of the tool would become another request.')
}

const isExtended = (was: unknown, is: unknown): boolean =>
  isObject(was) && isObject(is) && Object.entries(was).every(([name, value]) => contains(is[name], value))

const contains = (list: unknown, part: unknown): boolean =>
  isSame(list, part) ||
  (Array.isArray(list) && Array.isArray(part) && part.every((item) => list.some((other) => isSame(other, item))))

/** Skips members that were already compared. A scope or effect that only becomes explicit or implicit is a text. */
const changedOf = (before: SiteTool, after: SiteTool): string[] =>
  (['scope', 'effect'] as const).filter((name) => before[name] !== after[name])

function scopeChange(before: SiteTool, after: SiteTool, path: string, { needed, areGranted }: Scopes): Difference {
  const pair = [before.scope, after.scope] as const
  if (scopeRanks[after.scope] < scopeRanks[before.scope])
    return difference(path, pair, 'compatible', 'The tool now needs a lower scope.')
  const isFirst = !needed.has(after.scope)
  const message = areGranted
    ? `The tool now needs the "${after.scope}" scope${isFirst ? ', which no tool needed before' : ''}.`
    : `The tool may now ${allowed[after.scope]}${isFirst ? ', which no tool did before' : ''}.`
  return difference(path, pair, 'new_scope', message)
}

function effectChange(before: SiteTool, after: SiteTool, path: string): Difference {
  const pair = [before.effect, after.effect] as const
  const isFreer = repeatRanks[after.effect] > repeatRanks[before.effect]
  if (!isFreer) return difference(path, pair, 'compatible', 'Failed calls are retried in fewer cases.')
  return difference(path, pair, 'breaking', 'Failed calls would be retried in more cases.')
}

/** A stronger proposal counts only when the owner confirms it, and a confirmed one ends with what was proposed. */
function proposalChange(before: SiteTool, after: SiteTool, path: string): Difference {
  const pair = [before.proposedEffect ?? 'once', after.proposedEffect ?? 'once'] as const
  const isFreer = repeatRanks[pair[1]] > repeatRanks[pair[0]]
  if (isFreer)
    return difference(
      path,
      pair,
      'text',
      'The site proposes that failed calls are retried in more cases. You can confirm that.',
    )
  return difference(path, pair, 'compatible', 'The site proposes that failed calls are retried in fewer cases.')
}

/** Differences of members that have no effect: names, descriptions, unknown members. */
export function* memberChanges(
  before: object,
  after: object,
  path: string,
  compared: ReadonlySet<string>,
): Generator<Difference> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pair = [memberOf(before, name), memberOf(after, name)] as const
    const isUnchanged = (pair[0] === undefined) === (pair[1] === undefined) && isSame(pair[0], pair[1])
    if (!compared.has(name) && !isUnchanged)
      yield difference(joinPath(path, name), pair, 'text', 'Some text has changed.')
  }
}
