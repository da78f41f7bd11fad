import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { newId } from '../ids.ts'
import { oneLine } from '../notifications/plain-text.ts'

/**
 * How the actor was authorized: a login, an API key, a connected app, a mailed token, a command on the server, or the
 * platform itself.
 */
export const auditVias = ['login', 'api-key', 'app', 'mail', 'command', 'platform'] as const
export type AuditVia = (typeof auditVias)[number]

export const auditOutcomes = ['done', 'unknown'] as const

/** The kinds of things that an action can change. */
export const subjectKinds = [
  'account',
  'agent',
  'api_key',
  'app',
  'approval',
  'callback',
  'clock',
  'document',
  'grant',
  'host',
  'identity',
  'invitation',
  'login',
  'member',
  'notification',
  'notification_webhook',
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

/** One action on something that an owner has (table `audit_entries`). It is completed once and then stays unchanged. */
export class AuditEntry extends Row {
  static override tableName = 'audit_entries'
  static override jsonAttributes = ['before', 'after']
  declare id: string
  declare ownerId: string
  declare createdAt: Date
  /** The operation's name in the API. */
  declare action: string
  declare subjectKind: SubjectKind
  declare subjectId: string | null
  /** The user; null if unknown, as for a command. */
  declare actorId: string | null
  declare via: AuditVia
  /** The login, API key or connected app. */
  declare viaId: string | null
  declare address: string | null
  declare userAgent: string | null
  /** Fields of the subject, for people to read; never a secret. */
  declare before: object | null
  declare after: object | null
  /** null while the action is in progress, and permanently if the process died before it recorded the outcome. */
  declare outcome: (typeof auditOutcomes)[number] | null
}

/** An entry with the actor's address, if the account still exists. */
export class NamedAuditEntry extends AuditEntry {
  declare actorEmail: string | null
  /** The member or invitee that the entry is about, while the membership or invitation exists. */
  declare subjectEmail: string | null
}

export interface Actor {
  userId: string | null
  via: AuditVia
  viaId?: string | undefined
  address?: string | undefined
  userAgent?: string | undefined
}

/** Fields of a subject to record. Never a secret. */
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

/** The row of an action that starts now. */
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

/** Records actions in the transaction that makes them. */
export async function recordDeeds(trx: Transaction, now: Date, ...deeds: Deed[]): Promise<void> {
  if (deeds.length === 0) return
  await AuditEntry.query(trx).insert(deeds.map((deed) => ({ ...rowOf(deed, now), outcome: 'done' as const })))
}

/** An action on an account through a mailed token or a command on the server. */
export const ofAccount = (userId: string, action: string, by: Actor): Deed => ({
  ownerId: userId,
  action,
  subjectKind: 'account',
  subjectId: userId,
  by,
})

/** An operator: a command does not know who runs it. */
export const operator: Actor = { userId: null, via: 'command' }
