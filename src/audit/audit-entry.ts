import { Row } from '../database/row.ts'

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
  'host',
  'identity',
  'invitation',
  'login',
  'member',
  'notification',
  'payment_method',
  'run',
  'sign_in',
  'subscription',
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
  /** null while it is under way, and for ever if the process ended before it could tell. */
  declare outcome: (typeof auditOutcomes)[number] | null
}

/** With the address of who acted, if the account still exists. */
export class NamedAuditEntry extends AuditEntry {
  declare actorEmail: string | null
}
