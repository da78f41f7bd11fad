import * as v from 'valibot'
import type { NamedAgentVersion } from '../../src/agents/agent-version.ts'
import { versionedFields } from '../../src/agents/versioned-fields.ts'
import { auditVias } from '../../src/audit/audit-entry.ts'
import { shownUrl } from '../../src/safe-fetch/shown-url.ts'
import { jsonSchema, meanings, webhookProof } from './agent-fields.ts'
import { agent, site, webhookField } from './agent-schema.ts'
import { anyJson, field, named, whole } from './documented.ts'
import { exampleIds } from './example-ids.ts'
import { time, trigger } from './schemas.ts'

const versionedField = named(
  'AgentVersionField',
  v.picklist(versionedFields),
  "Field of an agent that versions contain. Secrets, pauses and the agent's owner are not part of a version.",
  'systemPrompt',
)

const changer = named(
  'AgentVersionActor',
  v.object({
    userId: field(v.nullable(v.string()), 'User. Null if the platform made the change.', exampleIds.user),
    email: field(
      v.nullable(v.string()),
      "User's email address. Null if the account no longer exists or has left the workspace.",
      'ada@example.com',
    ),
    via: named(
      'AgentVersionVia',
      v.picklist(auditVias),
      'How the user was authenticated, as in the audit log. `platform`: the platform made the change.',
      'login',
    ),
    viaId: field(v.nullable(v.string()), 'Id of the sign-in session or API key', exampleIds.login),
  }),
  'Who made a version',
)

const listed = {
  version: field(whole, 'Number of the version, from 1', 7),
  at: field(time, 'When the change was made'),
  by: changer,
  restoredFrom: field(v.nullable(whole), 'Version whose fields were restored. Null for any other change.', null),
  changed: field(v.array(versionedField), 'Fields that differ from the version before. Empty for the first version.', [
    'systemPrompt',
  ]),
}

export const listedVersion = named('AgentVersionSummary', v.object(listed), 'Version in a list')

const fields = named(
  'AgentVersionFields',
  v.object({
    name: field(v.string(), ...meanings.name),
    systemPrompt: field(v.string(), ...meanings.systemPrompt),
    trigger,
    cron: field(v.nullable(v.string()), ...meanings.cron),
    timeZone: field(v.nullable(v.string()), ...meanings.timeZone),
    webhookSchema: field(v.nullable(v.array(webhookField)), ...meanings.webhookSchema),
    webhookProof,
    allowActionOverride: field(v.boolean(), ...meanings.allowActionOverride),
    callbackUrl: field(v.nullable(v.string()), ...meanings.callbackUrl),
    model: field(v.nullable(v.string()), ...meanings.model),
    fallbackModel: field(v.nullable(v.string()), ...meanings.fallbackModel),
    outputSchema: field(v.nullable(jsonSchema), ...meanings.outputSchema),
    summarizes: field(v.boolean(), ...meanings.summarizes),
    creditsPerMonth: field(v.nullable(v.number()), ...meanings.creditsPerMonth),
    watchSilence: field(v.boolean(), ...meanings.watchSilence),
    sites: field(v.array(site), ...meanings.sites),
  }),
  "Agent's fields after a change",
)

const difference = named(
  'AgentVersionDifference',
  v.object({
    field: versionedField,
    before: field(anyJson, 'Value in the version before', 'File an issue for every post.'),
    after: field(anyJson, 'Value in this version', 'File an issue for every post that reports a bug.'),
  }),
  'Field that a version changed',
)

export const version = named(
  'AgentVersion',
  v.object({
    ...listed,
    fields,
    differences: field(
      v.array(difference),
      'Fields that differ from the version before. Empty for the first version, and if the version before is no longer kept.',
    ),
  }),
  'Numbered change of an agent',
)

export const restored = named(
  'RestoredAgent',
  v.object({
    agent,
    leftOut: field(
      v.array(v.string()),
      'A sentence for each site and tool that was not restored, because it is no longer there',
      ['The site of the vault entry 0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13 is no longer connected.'],
    ),
  }),
  'Agent with the fields of an earlier version',
)

export const presentListedVersion = ({
  actorId,
  actorEmail,
  via,
  viaId,
  ...row
}: Omit<NamedAgentVersion, 'fields'>) => ({
  ...row,
  by: { userId: actorId, email: actorEmail, via, viaId },
})

/** A value of a field. Who may not see secrets sees callback URLs without their query string. */
export const presentValue = (name: string, value: unknown, maySeeSecrets: boolean): unknown =>
  name === 'callbackUrl' && typeof value === 'string' && !maySeeSecrets ? shownUrl(value) : value
