import { raw } from 'objection'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { firstIdAt } from '../ids.ts'
import type { Logger } from '../logger.ts'
import { AuditEntry, NamedAuditEntry, rowOf, type Deed, type Fields } from './audit-entry.ts'
import { beginRound, inBatches } from '../database/batches.ts'

/** The outcome of an action. Refused actions are not recorded, because they change nothing. */
export type Outcome =
  | { kind: 'done'; subjectId?: string | undefined; after?: Fields }
  | { kind: 'refused' }
  | { kind: 'unknown' }

interface Asked extends PageRequest {
  action?: string | undefined
  subjectId?: string | undefined
  actorId?: string | undefined
}

/**
 * How long the audit log tries to write an outcome, in milliseconds. After that, the outcome of the entry stays
 * unknown.
 */
const recordMs = 5000

/** The most old entries that one transaction deletes. */
const batch = 1000

/**
 * Who did what, from where, and what it changed, for each owner (docs/decisions/0060). An API change is recorded before
 * it is made and completed afterwards, so no change lacks an entry. Changes by the platform and by commands are
 * recorded in their own transaction.
 */
export function createAudit(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auditDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /** Completes an entry. Never fails: the change is already made or refused, and the caller gets that result. */
  async function complete(id: string, outcome: Outcome): Promise<void> {
    const write = () => (outcome.kind === 'refused' ? withdraw(id) : patch(id, outcome))
    await retryWhileUnavailable(write, AbortSignal.timeout(recordMs)).catch((error: unknown) =>
      logger.warn({ err: error, entryId: id }, 'failed to record the outcome of a change in the audit log'),
    )
  }

  async function patch(id: string, outcome: Exclude<Outcome, { kind: 'refused' }>): Promise<void> {
    const { kind, subjectId, after = null } = { subjectId: undefined, after: undefined, ...outcome }
    const change = { outcome: kind, after, ...(subjectId === undefined ? {} : { subjectId }) }
    await AuditEntry.query(database).findById(id).whereNull('outcome').patch(change)
  }

  const purgeBatch = (): Promise<number> =>
    database.transaction(async (trx) => {
      await trx.raw(`set local switchyard.audit = 'purge'`)
      const before = firstIdAt(later(clock.now(), -config.auditDays * 86_400))
      return (await trx.raw<{ rowCount: number }>(purgeStatement, { before, batch })).rowCount
    })

  const withdraw = (id: string): Promise<void> =>
    database.transaction(async (trx) => {
      await trx.raw(`set local switchyard.audit = 'withdraw'`)
      await AuditEntry.query(trx).findById(id).delete()
    })

  /** Adds email addresses. A workspace sees only those of its current members. */
  const named = (actorEmail: string) =>
    NamedAuditEntry.query(database).select('auditEntries.*', raw(actorEmail), raw(subjectEmail))

  const pageOf = (of: Record<string, string>, email: string, { action, subjectId, actorId, ...request }: Asked) =>
    page(named(email), {
      list: 'audit',
      time: 'createdAt',
      of,
      ...request,
      only: { action, subjectId, actorId },
    })

  return {
    /** Records an action before it is made. Returns the function that records its outcome. */
    async begin(deed: Deed): Promise<(outcome: Outcome) => Promise<void>> {
      const row = rowOf(deed, clock.now())
      await AuditEntry.query(database).insert(row)
      return (outcome) => complete(row.id, outcome)
    },

    /** One page of an owner's log, newest first. */
    list: (ownerId: string, request: Asked): Promise<Page<NamedAuditEntry>> =>
      pageOf({ ownerId }, emailOfMember, request),

    /** For admins: one page of the log of the whole platform, or of one owner, newest first. */
    all: ({ ownerId, ...request }: Asked & { ownerId?: string | undefined }): Promise<Page<NamedAuditEntry>> =>
      pageOf(ownerId === undefined ? {} : { ownerId }, emailOfUser, request),

    /** Deletes entries older than AUDIT_DAYS, for some seconds. Safe in several processes at the same time. */
    async purge(stopping?: AbortSignal): Promise<void> {
      await inBatches(batch, purgeBatch, beginRound(stopping))
    },
  }
}

export type Audit = ReturnType<typeof createAudit>

const emailOfUser = '(select u.email from users u where u.id = audit_entries.actor_id) as actor_email'

const emailOfMember = `
  (select u.email from users u
    where u.id = audit_entries.actor_id
      and (u.id = audit_entries.owner_id
           or exists (select from members m where m.workspace_id = audit_entries.owner_id and m.user_id = u.id))) as actor_email`

/** The address of the member or invitee, while the membership or invitation exists. */
const subjectEmail = `
  case when subject_id !~ '^[0-9a-f]{8}-[0-9a-f-]{27}$' then null
       when subject_kind = 'invitation' then (select i.email from invitations i where i.id = subject_id::uuid)
       when subject_kind = 'member' then
         (select u.email from members m join users u on u.id = m.user_id
           where m.workspace_id = audit_entries.owner_id and m.user_id = subject_id::uuid) end as subject_email`

const purgeStatement = `
  delete from audit_entries where id in (select id from audit_entries where id < :before order by id limit :batch for update skip locked)`
