import type { AgentWithSites } from './agent.ts'
import type { AgentFields } from './agent-fields.ts'

/** The fields of an agent that a version keeps: all that its owner sets, and none of its secrets. */
export const versionedFields = [
  'name',
  'systemPrompt',
  'trigger',
  'cron',
  'timeZone',
  'webhookSchema',
  'webhookProof',
  'allowActionOverride',
  'callbackUrl',
  'model',
  'fallbackModel',
  'outputSchema',
  'summarizes',
  'creditsPerMonth',
  'watchSilence',
  'sites',
] as const satisfies (keyof AgentFields)[]

export type VersionedField = (typeof versionedFields)[number]
export type VersionedFields = Pick<AgentWithSites, VersionedField>

/** The versioned fields of an agent with its sites. */
export const versionedOf = (agent: VersionedFields): VersionedFields =>
  Object.fromEntries(versionedFields.map((field) => [field, agent[field]])) as unknown as VersionedFields

/** The fields that differ. A change of the order of members in a schema counts: the model reads them in order. */
export const changedFields = (before: VersionedFields, after: VersionedFields): VersionedField[] =>
  versionedFields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
