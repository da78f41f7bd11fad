import { raw } from 'objection'
import type { Actor } from '../audit/audit-entry.ts'
import type { Billing } from '../billing/billing.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageKey, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import type { Agent } from './agent.ts'
import { AgentVersion, NamedAgentVersion } from './agent-version.ts'
import { changedFields, type VersionedField, type VersionedFields } from './versioned-fields.ts'

/** The most versions of an agent that are kept, and the most bytes of their fields. The latest is always kept. */
export const mostVersions = 200
export const mostBytes = 10 * 1024 * 1024

type Owned = Pick<Agent, 'id' | 'ownerId'>

/** A change of an agent, made now. */
interface Change {
  agent: Owned
  version: number
  fields: VersionedFields
  by: Actor
  now: Date
  restoredFrom?: number | undefined
}

interface Difference {
  field: VersionedField
  before: unknown
  after: unknown
}

const byNumber: PageKey<NamedAgentVersion> = {
  column: 'version',
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  write: ({ version }) => String(version),
}

/** The numbered changes of agents. An agent's row has the number of the latest. */
export function createVersions(context: { database: Database; billing: Pick<Billing, 'storedBytes'> }) {
  const { database, billing } = context

  const find = (db: Database | Transaction, agentId: string, version: number) =>
    AgentVersion.query(db).findById([agentId, version])

  const named = ({ id, ownerId }: Owned) =>
    NamedAgentVersion.query(database).where({ agentId: id }).select(raw(emailOfActor, { ownerId }))

  return {
    /** A version with its fields. NOT_FOUND. */
    async get(agent: Owned, number: string): Promise<NamedAgentVersion> {
      const version = /^[1-9]\d{0,8}$/.test(number) ? Number(number) : undefined
      const found = version && (await named(agent).select('agentVersions.*').findOne({ version }))
      assertThat(found, 'NOT_FOUND', { message: noVersion(agent.id) })
      return found
    },

    /** Writes a version in the transaction that makes the change and holds the agent's lock. Deletes the oldest ones. */
    async write(trx: Transaction, { agent, version, fields, by, now, restoredFrom }: Change): Promise<void> {
      const { id: agentId, ownerId } = agent
      const before = await find(trx, agentId, version - 1)
      const bytes = Buffer.byteLength(JSON.stringify(fields))
      await AgentVersion.query(trx).insert({
        agentId,
        version,
        at: now,
        actorId: by.userId,
        via: by.via,
        viaId: by.viaId ?? null,
        restoredFrom: restoredFrom ?? null,
        changed: before ? changedFields(before.fields, fields) : [],
        fields,
        bytes,
      })
      await trx.raw(purgeStatement, { agentId, mostVersions, mostBytes })
      billing.storedBytes.note(ownerId, bytes)
    },

    /** An agent's versions without their fields, newest first. */
    list: (agent: Owned, request: PageRequest): Promise<Page<NamedAgentVersion>> =>
      page(named(agent).select(listed), {
        list: 'agent-versions',
        ...request,
        key: byNumber,
        keyIsArrival: true,
        time: 'at',
        // An agent has few versions: their times filter them.
        rangeOf: () => ({}),
      }),

    /** What a version changed; empty if the version before it is not kept. */
    async differencesOf({ agentId, version, fields }: AgentVersion): Promise<Difference[]> {
      const before = await find(database, agentId, version - 1)
      if (!before) return []
      const changed = changedFields(before.fields, fields)
      return changed.map((field) => ({ field, before: before.fields[field], after: fields[field] }))
    },
  }
}

const listed = ['agentId', 'version', 'at', 'actorId', 'via', 'viaId', 'restoredFrom', 'changed'] as const

export type Versions = ReturnType<typeof createVersions>

const noVersion = (agentId: string): string =>
  `There is no version with this number. The last ${mostVersions} versions of an agent are kept. GET /agents/${agentId}/versions lists them.`

/** An owner sees only the addresses of its current members, as in the audit log. */
const emailOfActor = `
  (select u.email from users u
    where u.id = agent_versions.actor_id
      and (u.id = :ownerId
           or exists (select from members m where m.workspace_id = :ownerId and m.user_id = u.id))) as actor_email`

const purgeStatement = `
  delete from agent_versions v
   using (select version, row_number() over latest as place, sum(bytes) over latest as bytes
            from agent_versions where agent_id = :agentId window latest as (order by version desc)) kept
   where v.agent_id = :agentId and v.version = kept.version
     and (kept.place > :mostVersions or kept.place > 1 and kept.bytes > :mostBytes)`
