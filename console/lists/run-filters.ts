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
