import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { newId } from '../ids.ts'
import { oneLine } from '../notifications/plain-text.ts'

/** How somebody acted: with a login, an API key, a token from a mail, a command on the server, or the platform itself. */
export const auditVias = ['login', 'api-key', 'mail', 'command', 'platform'] as const
export type AuditVia = (typeof auditVias)[number]

export const auditOutcomes = ['done', 'unknown'] as const

/** What kind of thing an action changes. */
export const subjectKinds = [
  'account',
  'agent',
  'api_key',
  'approval',
  'callback',
  'clock',
  'grant',
  'host',
  'identity',
  'invitation',
  'login',
  'member',
  'notification',
  'payment',
  'payment_method',
  'run',
  'sign_in',
  'subscription',
  'top_up',
  'vault_entry',
  'workspace',
] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** One action of somebody on something of an owner (table `audit_entries`). It is completed once, and kept. */
export class AuditEntry extends Row {
  static override tableName = 'audit_entries'
  static override jsonAttributes = ['before', 'after']
  declare id: string
  declare ownerId: string
  declare createdAt: Date
  /** The operation, by its name in the API. */
  declare action: string
  declare subjectKind: SubjectKind
  declare subjectId: string | null
  /** The user; null if nobody is known, as for a command. */
  declare actorId: string | null
  declare via: AuditVia
  /** The login or the API key. */
  declare viaId: string | null
  declare address: string | null
  declare userAgent: string | null
  /** Fields of the subject, for people; never a secret. */
  declare before: object | null
  declare after: object | null
  /** null while it is in progress, and for ever if the process ended before it could tell. */
  declare outcome: (typeof auditOutcomes)[number] | null
}

/** With the address of who acted, if the account still exists. */
export class NamedAuditEntry extends AuditEntry {
  declare actorEmail: string | null
  /** Of whom it is about members or invitations, while there is one. */
  declare subjectEmail: string | null
}

/** Who acts, and from where. */
export interface Actor {
  userId: string | null
  via: AuditVia
  /** The login or the API key. */
  viaId?: string | undefined
  address?: string | undefined
  userAgent?: string | undefined
}

/** Fields of a subject, as they may be noted. Never a secret. */
export type Fields = Record<string, unknown> | undefined

export interface Deed {
  ownerId: string
  action: string
  subjectKind: SubjectKind
  subjectId?: string | undefined
  by: Actor
  before?: Fields
  after?: Fields
}

/** The row of a deed that begins now. */
export const rowOf = ({ ownerId, action, subjectKind, subjectId, by, before, after }: Deed, now: Date) => ({
  id: newId(),
  ownerId,
  createdAt: now,
  action,
  subjectKind,
  subjectId: subjectId === undefined ? null : oneLine(subjectId, 255),
  actorId: by.userId,
  via: by.via,
  viaId: by.viaId ?? null,
  address: by.address ?? null,
  userAgent: by.userAgent === undefined ? null : oneLine(by.userAgent, 200),
  before: before ?? null,
  after: after ?? null,
})

/** Notes what is done in this transaction. */
export async function recordDeeds(trx: Transaction, now: Date, ...deeds: Deed[]): Promise<void> {
  if (deeds.length === 0) return
  await AuditEntry.query(trx).insert(deeds.map((deed) => ({ ...rowOf(deed, now), outcome: 'done' as const })))
}

/** What is done to an account: with a token from a mail, or by a command on the server. */
export const ofAccount = (userId: string, action: string, by: Actor): Deed => ({
  ownerId: userId,
  action,
  subjectKind: 'account',
  subjectId: userId,
  by,
})

/** An operator, whom a command does not know. */
export const operator: Actor = { userId: null, via: 'command' }
