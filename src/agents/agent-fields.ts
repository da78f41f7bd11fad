import { CodedError } from '../errors.ts'
import { assertPlan } from '../schedules/plan.ts'
import type { Agent } from './agent.ts'

/** The sites and tools an agent is given; without `tools` all of the site's. */
export interface SiteChoice {
  vaultEntryId: string
  tools?: string[] | undefined
}

/** What an owner says of an agent. */
export interface AgentFields {
  name: string
  systemPrompt: string
  trigger: Agent['trigger']
  cron: string | null
  timeZone: string | null
  webhookSchema: Agent['webhookSchema']
  webhookProof: Agent['webhookProof']
  allowActionOverride: boolean
  callbackUrl: string | null
  sites: SiteChoice[]
}

/** What an owner changes of an agent; what is not named stays as it is. */
export type AgentChanges = { [Name in keyof AgentFields]?: AgentFields[Name] | undefined }

/**
 * A change with what follows from it: whoever gives an agent another trigger need not know what the former one had, just
 * as whoever makes an agent.
 */
export function completeChanges(changes: AgentChanges): Partial<AgentFields> {
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const isScheduled = changes.trigger === undefined || changes.trigger === 'scheduled'
  return { ...(!isScheduled && { cron: null, timeZone: null }), ...named }
}

/** Refuses a combination of fields that no agent can have, and a schedule that cannot be read: VALIDATION_ERROR. */
export function assertTrigger(fields: Pick<AgentFields, 'trigger' | 'cron' | 'timeZone'>): void {
  const { trigger, cron, timeZone } = fields
  const isScheduled = trigger === 'scheduled'
  const wrong = (['cron', 'timeZone'] as const).filter((path) => (fields[path] === null) === isScheduled)
  const message = isScheduled
    ? 'A scheduled agent needs "cron" and "timeZone".'
    : 'Only a scheduled agent has "cron" and "timeZone".'
  if (wrong.length > 0)
    throw new CodedError('VALIDATION_ERROR', { message, details: wrong.map((path) => ({ path, message })) })
  if (cron !== null && timeZone !== null) assertPlan(cron, timeZone)
}
