import { CodedError } from '../errors.ts'
import { canonicalTimeZone } from '../schedules/cron/time-zone.ts'
import { assertPlan } from '../schedules/plan.ts'
import type { Agent } from './agent.ts'

/** A site that an agent may use. Without `tools`: all of its tools. */
export interface SiteChoice {
  vaultEntryId: string
  tools?: string[] | undefined
  /** Tools whose calls need an approval. */
  askFirst?: string[] | undefined
}

/** The fields of an agent that its owner sets. */
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
  model: string | null
  fallbackModel: string | null
  outputSchema: object | null
  summarizes: boolean
  creditsPerMonth: number | null
  watchSilence: boolean
  sites: SiteChoice[]
}

/** A change of an agent. Absent fields stay unchanged. */
export type AgentChanges = { [Name in keyof AgentFields]?: AgentFields[Name] | undefined }

/**
 * Completes a change with its consequences: a trigger other than `scheduled` clears the schedule unless the change
 * names one.
 */
export function completeChanges(changes: AgentChanges): Partial<AgentFields> {
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const isScheduled = changes.trigger === undefined || changes.trigger === 'scheduled'
  return { ...(!isScheduled && { cron: null, timeZone: null }), ...named }
}

/** Rejects an invalid combination of fields or an invalid schedule: VALIDATION_ERROR. */
export function assertTrigger(fields: Pick<AgentFields, 'trigger' | 'cron' | 'timeZone'>): void {
  const { trigger, cron, timeZone } = fields
  const isScheduled = trigger === 'scheduled'
  const wrong = (['cron', 'timeZone'] as const).filter((path) => (fields[path] === null) === isScheduled)
  const message = isScheduled
    ? 'A scheduled agent requires "cron" and "timeZone".'
    : 'Only scheduled agents can have "cron" and "timeZone".'
  if (wrong.length > 0)
    throw new CodedError('VALIDATION_ERROR', { message, details: wrong.map((path) => ({ path, message })) })
  if (cron !== null && timeZone !== null) assertPlan(cron, timeZone)
}

/** The fields as stored and shown, with the time zone in its canonical case. */
export const withCanonicalZone = <Fields extends { timeZone?: string | null | undefined }>(fields: Fields): Fields =>
  fields.timeZone ? { ...fields, timeZone: canonicalTimeZone(fields.timeZone) } : fields
