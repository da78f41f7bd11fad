import type { Pojo } from 'objection'
import type { AuditVia } from '../audit/audit-entry.ts'
import type { Transaction } from '../database/database.ts'
import { fieldsOf, Row } from '../database/row.ts'
import type { Agent } from './agent.ts'
import type { VersionedField, VersionedFields } from './versioned-fields.ts'

/** An agent's fields after one change of them (table `agent_versions`). Insert-only; never holds a secret. */
export class AgentVersion extends Row {
  static override tableName = 'agent_versions'
  static override idColumn = ['agentId', 'version']
  static override jsonAttributes = ['fields', 'changed']
  declare agentId: string
  /** From 1, without gaps. */
  declare version: number
  declare at: Date
  /** The user; null if the platform made the change. */
  declare actorId: string | null
  declare via: AuditVia
  /** The login or API key. */
  declare viaId: string | null
  /** The version whose fields were restored. */
  declare restoredFrom: number | null
  /** The fields that differ from the version before; empty for the first version. */
  declare changed: VersionedField[]
  declare fields: VersionedFields
  /** The size of `fields` as JSON. */
  declare bytes: number

  /** Versions from before a field existed have the value that it got for all agents. */
  override $parseDatabaseJson(row: Pojo): Pojo {
    const parsed = super.$parseDatabaseJson(row)
    const { fields } = parsed as { fields?: object }
    return fields ? { ...parsed, fields: { watchSilence: true, ...fields } } : parsed
  }
}

/** A version with the actor's address, if it may be shown. */
export class NamedAgentVersion extends AgentVersion {
  declare actorEmail: string | null
}

/**
 * Replaces an agent's history by one new version, whose callback address is gone, and returns its number. The caller
 * has locked the agent and removes the address.
 */
export async function restartVersions(
  trx: Transaction,
  { id: agentId, version, callbackUrl }: Pick<Agent, 'id' | 'version' | 'callbackUrl'>,
  now: Date,
): Promise<number> {
  const latest = await AgentVersion.query(trx).findById([agentId, version])
  await AgentVersion.query(trx).delete().where({ agentId })
  if (!latest) return version
  await AgentVersion.query(trx).insert({
    ...fieldsOf(latest),
    version: version + 1,
    at: now,
    actorId: null,
    via: 'platform',
    viaId: null,
    restoredFrom: null,
    changed: callbackUrl === null ? [] : ['callbackUrl'],
    fields: { ...latest.fields, callbackUrl: null },
  })
  return version + 1
}
