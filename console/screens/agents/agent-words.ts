import type { Api } from '../../api/client.ts'

type Summary = Pick<Api['AgentSummary'], 'pausedAt' | 'lastRun'>

/** What an agent does, as a list shows it. A paused agent is paused, whatever its last run does. */
export type AgentState = 'paused' | 'working' | 'waiting' | 'queued' | 'ready'

export function stateOf({ pausedAt, lastRun }: Summary): AgentState {
  if (pausedAt !== null) return 'paused'
  if (lastRun?.status === 'running') return 'working'
  if (lastRun?.status === 'waiting' || lastRun?.status === 'queued') return lastRun.status
  return 'ready'
}

export const stateTones = {
  paused: 'warn',
  working: 'busy',
  waiting: 'warn',
  queued: 'calm',
  ready: 'calm',
} as const satisfies Record<AgentState, string>

const triggers: Record<Api['Trigger'], string> = {
  manual: 'Started by hand',
  scheduled: 'Runs on a schedule',
  webhook: 'Runs for each delivery',
}

export const triggerInWords = (trigger: Api['Trigger']): string => triggers[trigger]

/** The credits of a month beside its cap and what is to be expected. */
export function usageInWords({ used, cap, forecast }: Api['MonthUsage'], number: (count: number) => string): string {
  const limit = cap === null ? '' : ` of ${number(cap)}`
  return `${number(used)}${limit}, about ${number(forecast)} by the end of the month`
}

const scopes: Record<Api['Scope'], string> = {
  read: 'Reads',
  write: 'Changes things',
  delete: 'Deletes things',
  admin: 'Administers the site',
}
const effects: Record<Api['Effect'], string> = {
  read: 'A repetition has no effect.',
  idempotent: 'A repetition has the same effect as one call.',
  once: 'Each call counts, so it is never repeated by itself.',
}

/** What a tool does to its site, and what happens if a call is repeated. */
export const toolInWords = ({ scope, effect }: Pick<Api['Tool'], 'scope' | 'effect'>): string =>
  `${scopes[scope]}. ${effects[effect]}`

/** Whether a person looks at each call first. */
type Permission = 'allowed' | 'asks first'

export interface AllowedTool {
  name: string
  permission: Permission
  /** Undefined if the site no longer offers the tool. */
  tool: Api['VaultTool'] | undefined
}

/** The tools that an agent may use at a site. Without a list these are all that the site offers. */
export function allowedTools(site: Api['AgentSite'], offered: readonly Api['VaultTool'][]): AllowedTool[] {
  const byName = new Map(offered.map((tool) => [tool.name, tool]))
  const names = site.tools ?? [...byName.keys()]
  return names.map((name) => ({
    name,
    permission: site.askFirst.includes(name) ? 'asks first' : 'allowed',
    tool: byName.get(name),
  }))
}
