export type Scope = 'read' | 'write' | 'delete' | 'admin'

/** Whether a call may be repeated: it only reads, it may be repeated, or it must run once. */
export type Effect = 'read' | 'idempotent' | 'once'

/** An effect that a site only proposes. It counts once the owner of a connection confirms it. */
export type ProposedEffect = Exclude<Effect, 'once'>

/** The rank of an effect by how freely calls are repeated. */
export const repeatRanks: Record<Effect, number> = { once: 0, idempotent: 1, read: 2 }

/** More tools of one site do not fit into a prompt or an overview. */
export const maxTools = 200

/** A tool in a manifest. */
export interface ManifestTool {
  name: string
  description: string
  input_schema: Record<string, unknown>
  /** What its results must match, unchecked. */
  output_schema?: unknown
  /** How a call becomes a request, for the adapter alone. */
  request?: unknown
  scope?: Scope | undefined
  effect?: Effect | undefined
  /** Set instead of `effect` by dialects whose sites only give hints. */
  proposed_effect?: ProposedEffect | undefined
  /** Whether the site may, or must, respond to a call at once and work on it then. Absent if nothing is known of that. */
  job?: 'possible' | 'required' | undefined
}

export interface SiteTool {
  name: string
  description: string
  inputSchema: Record<string, unknown>
  scope: Scope
  effect: Effect
  /** What the site proposes instead of `once`; absent if it proposes nothing. */
  proposedEffect?: ProposedEffect
}

/**
 * A site's tool, with defaults for omitted members. An undeclared effect is `once`, also if another is proposed: neither
 * a name nor a hint must decide that a call may run twice.
 */
export function describeTool(tool: ManifestTool): SiteTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input_schema,
    scope: tool.scope ?? inferScope(tool.name),
    effect: tool.effect ?? 'once',
    ...(tool.proposed_effect && { proposedEffect: tool.proposed_effect }),
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
 * The scope that a tool's name implies (docs/specification.md, "Scopes"). The first matching rule applies: a word
 * `admin` → admin · the action starts with a reading verb → read, even if it reads users or settings · the name
 * mentions settings, roles or permissions, or manages users (`users.create`, `invite_member`; not `message_user`) →
 * admin, including deletion · it starts with delete or remove → delete · otherwise write.
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

/** The words of a name in lower case, for `crm.searchContacts`, `search_contacts` and `search-contacts` alike. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._/-]+/)
    .filter(Boolean)
