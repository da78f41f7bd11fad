import { raw } from 'objection'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { firstIdAt } from '../ids.ts'
import type { Logger } from '../logger.ts'
import { AuditEntry, NamedAuditEntry, rowOf, type Deed, type Fields } from './audit-entry.ts'
import { beginRound, inBatches } from '../database/batches.ts'

/** What came of a deed that had begun. Of what was refused nothing is kept: it has changed nothing. */
export type Outcome =
  | { kind: 'done'; subjectId?: string | undefined; after?: Fields }
  | { kind: 'refused' }
  | { kind: 'unknown' }

/** Which entries are asked for. */
interface Asked extends PageRequest {
  action?: string | undefined
  subjectId?: string | undefined
  actorId?: string | undefined
}

/** How long an outcome is tried to be written, in milliseconds. After that the entry says that nobody knows it. */
const recordMs = 5000

/** How many old entries one transaction deletes. */
const batch = 1000

/**
 * Who did what, from where, and what it changed, for every owner (docs/decisions/0060). A change through
 * the API is noted before it is made and completed afterwards, so none can be made without an entry; what the platform
 * and its commands change is noted in the transaction of the change.
 */
export function createAudit(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auditDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /** Completes an entry. Never fails: the change has been made, or was refused, and the caller is told of that. */
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

  /** With addresses of people: for a workspace, of those who are its members still. */
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
    /** Notes what is about to be done, and returns how to say what came of it. */
    async begin(deed: Deed): Promise<(outcome: Outcome) => Promise<void>> {
      const row = rowOf(deed, clock.now())
      await AuditEntry.query(database).insert(row)
      return (outcome) => complete(row.id, outcome)
    },

    /** One page of an owner's log, newest first. */
    list: (ownerId: string, request: Asked): Promise<Page<NamedAuditEntry>> =>
      pageOf({ ownerId }, emailOfMember, request),

    /** One page of everything that was done here, or to one owner, newest first: for admins. */
    all: ({ ownerId, ...request }: Asked & { ownerId?: string | undefined }): Promise<Page<NamedAuditEntry>> =>
      pageOf(ownerId === undefined ? {} : { ownerId }, emailOfUser, request),

    /** Deletes entries that are older than AUDIT_DAYS, for some seconds. Safe in several processes at once. */
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

/** Whom an entry about members and invitations is about, for as long as there is a membership or an invitation. */
const subjectEmail = `
  case when subject_id !~ '^[0-9a-f]{8}-[0-9a-f-]{27}$' then null
       when subject_kind = 'invitation' then (select i.email from invitations i where i.id = subject_id::uuid)
       when subject_kind = 'member' then
         (select u.email from members m join users u on u.id = m.user_id
           where m.workspace_id = audit_entries.owner_id and m.user_id = subject_id::uuid) end as subject_email`

const purgeStatement = `
  delete from audit_entries where id in (select id from audit_entries where id < :before order by id limit :batch for update skip locked)`
