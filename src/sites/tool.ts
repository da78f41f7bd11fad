import type { ManifestTool } from './manifest/manifest.ts'

export type Scope = 'read' | 'write' | 'delete' | 'admin'

/** What a site says about repeating a call: it reads only, it may be repeated, or it must be made once. */
export type Effect = 'read' | 'idempotent' | 'once'

/** An operation of a site, as the rest of the house sees it. */
export interface SiteTool {
  name: string
  description: string
  inputSchema: Record<string, unknown>
  scope: Scope
  effect: Effect
}

/**
 * A tool as declared by its site, with what the manifest leaves open filled in. An undeclared effect is `once`: a
 * name must never decide that a call may be made twice.
 */
export function describeTool(tool: ManifestTool): SiteTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input_schema,
    scope: tool.scope ?? inferScope(tool.name),
    effect: tool.effect ?? 'once',
  }
}

const readVerbs = new Set('search get list read find fetch view show count lookup query'.split(' '))
const deleteVerbs = new Set(['delete', 'remove'])
const manageVerbs = new Set(
  'create add invite update edit set change manage enable disable activate deactivate suspend ban reset delete remove'.split(
    ' ',
  ),
)
const people = new Set(['user', 'users', 'member', 'members'])
const administered = new Set(['setting', 'settings', 'role', 'roles', 'permission', 'permissions'])

/**
 * The scope that a tool needs by its name (docs/specification.md, "Scopes"). The first rule that holds: a word `admin`
 * → admin · the action begins with a reading verb → read, also where it only reads users or settings · settings, roles
 * or permissions are named, or users are what is managed (`users.create`, `invite_member`; not `message_user`) → admin,
 * deleting one of them included · it begins with delete or remove → delete · else write.
 */
export function inferScope(name: string): Scope {
  const dot = name.indexOf('.')
  const namespace = dot === -1 ? [] : wordsOf(name.slice(0, dot))
  const action = wordsOf(name.slice(dot + 1))
  const [verb = '', object = ''] = action
  const words = [...namespace, ...action]
  if (words.includes('admin')) return 'admin'
  if (readVerbs.has(verb)) return 'read'
  if (words.some((word) => administered.has(word))) return 'admin'
  if (manageVerbs.has(verb) && [...namespace, object].some((word) => people.has(word))) return 'admin'
  return deleteVerbs.has(verb) ? 'delete' : 'write'
}

/** `crm.searchContacts` and `search_contacts` alike: the words of a name in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._]+/)
    .filter(Boolean)
