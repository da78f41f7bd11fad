import type { Api } from '../api/client.ts'

export const statuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'skipped'] as const
export const triggers = ['manual', 'scheduled', 'webhook'] as const

/** The filters of the list of runs. They live in the address, so an address is a saved view. */
export interface RunFilters {
  status?: Api['RunStatus'] | undefined
  trigger?: Api['Trigger'] | undefined
  agentId?: string | undefined
  since?: string | undefined
  until?: string | undefined
  /** Failures grouped by cause instead of a list. */
  grouped?: true | undefined
}

/** Reads the filters of an address. What they cannot mean is left out. */
export function readRunFilters(raw: Record<string, unknown>): RunFilters {
  return {
    status: statuses.find((status) => status === raw['status']),
    trigger: triggers.find((trigger) => trigger === raw['trigger']),
    agentId: textIn(raw['agentId'], 36),
    since: timeIn(raw['since']),
    until: timeIn(raw['until']),
    grouped: raw['grouped'] === true ? true : undefined,
  }
}

const textIn = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= max ? value : undefined

const timeIn = (value: unknown): string | undefined => {
  const text = textIn(value, 40)
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined
}

type OwnerQuery = { workspaceId?: string }
type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

const given = <Values extends object>(values: Values): Given<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<Values>

/** The query of `GET /runs`. */
export const runsQuery = ({ status, trigger, agentId, since, until }: RunFilters, owner: OwnerQuery) =>
  given({ ...owner, status, trigger, agentId, since, until })

/** The query of `GET /runs/failures`, which knows only failed runs. */
export const failuresQuery = ({ agentId, since, until }: RunFilters, owner: OwnerQuery) =>
  given({ ...owner, agentId, since, until })

/** `filter` of a change of all runs that match and were accepted before `now`, which the reader may have seen. */
export const filterOfChange = (
  { status, trigger, agentId, since, until }: RunFilters,
  owner: OwnerQuery,
  now: string,
) => given({ ...owner, status, trigger, agentId, acceptedSince: since, acceptedUntil: until ?? now })

/** The list as a path, for a command. */
export const pathOf = (path: string, query: Record<string, string | number>): string => {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  return search === '' ? path : `${path}?${search}`
}

/** Whether the list leaves something out. */
export const isFiltered = ({ status, trigger, agentId, since, until }: RunFilters): boolean =>
  [status, trigger, agentId, since, until].some((value) => value !== undefined)
