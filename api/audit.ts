import * as v from 'valibot'
import { auditOutcomes, auditVias, subjectKinds, type NamedAuditEntry } from '../src/audit/audit-entry.ts'
import { differing } from '../src/audit/noted-fields.ts'
import { fieldsOf } from '../src/database/row.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, ownerId, pageOf, paging, pagingOfOwner, text, time } from './schemas/schemas.ts'

const subject = named(
  'AuditSubject',
  v.object({
    kind: named('AuditSubjectKind', v.picklist(subjectKinds), 'The kind of thing', 'agent'),
    id: field(v.nullable(v.string()), 'Its id, or the name of a host; null if nothing was created'),
    email: field(v.nullable(v.string()), 'The email address of a member or an invitation, while it exists', null),
  }),
  'The thing that was acted on, which may no longer exist',
)
const actor = named(
  'AuditActor',
  v.object({
    userId: field(v.nullable(id), 'The user; null for a command on the server'),
    email: field(
      v.nullable(v.string()),
      'The email address of the user, while the account exists and (in a workspace) is a member',
      'ada@example.com',
    ),
    via: named('AuditVia', v.picklist(auditVias), 'How the user acted; `mail` means a token from an email', 'login'),
    viaId: field(v.nullable(id), 'The id of the login or API key'),
    address: field(v.nullable(v.string()), 'The IP address of the client', '203.0.113.7'),
    userAgent: field(v.nullable(v.string()), 'The `User-Agent` of the client', 'Mozilla/5.0'),
  }),
  'The actor, and where the request came from',
)
const fields = named('AuditFields', v.record(v.string(), v.unknown()), 'Fields of the thing, with long values cut', {
  name: 'Triage',
})
const entry = named(
  'AuditEntry',
  v.object({
    id,
    ownerId,
    createdAt: time,
    action: field(v.string(), 'The operation id', 'updateAgent'),
    subject,
    actor,
    before: field(v.nullable(fields), 'The fields before the change; null if the thing was created'),
    after: field(v.nullable(fields), 'The changed fields; null if the thing was deleted'),
    outcome: named(
      'AuditOutcome',
      v.picklist(auditOutcomes),
      'unknown: the action is still running, or the platform failed before it could record the outcome',
      'done',
    ),
  }),
  'One entry of the audit log',
)

const filters = {
  action: v.optional(field(text(64), 'Only this operation', 'updateAgent')),
  subjectId: v.optional(field(text(255), 'Only actions on this thing')),
  actorId: v.optional(field(v.pipe(text(64), v.uuid('must be a UUID')), 'Only actions by this user')),
}

function present({
  subjectKind,
  subjectEmail,
  subjectId,
  actorId,
  actorEmail,
  outcome,
  ...row
}: ReturnType<typeof fieldsOf<NamedAuditEntry>>) {
  const { via, viaId, address, userAgent } = row
  const sides = differing((row.before as Side) ?? undefined, (row.after as Side) ?? undefined)
  return {
    ...row,
    before: sides.before ?? null,
    after: sides.after ?? null,
    subject: { kind: subjectKind, id: subjectId, email: subjectEmail },
    actor: { userId: actorId, email: actorEmail, via, viaId, address, userAgent },
    outcome: outcome ?? 'unknown',
  }
}

type Side = Record<string, unknown> | null

export const listAudit = route({
  tag: 'audit',
  access: 'account',
  name: 'listAudit',
  method: 'get',
  path: '/audit',
  summary: 'List audit log entries',
  description:
    'Newest first: who changed what, from where, with the values before and after. Entries never change and are ' +
    'kept for 400 days. Runs, tool calls and chats have their own records. In a workspace, requires the `admin` or ' +
    '`owner` role.',
  owner: 'query',
  needs: 'administer',
  whenClosed: true,
  query: v.strictObject({ ...pagingOfOwner, ...filters }),
  status: 200,
  response: pageOf(entry),
  async handle({ services, ownerId, query }) {
    const page = await services.audit.list(ownerId, query)
    return { ...page, items: page.items.map((row) => present(fieldsOf(row))) }
  },
})

export const listAuditOfAll = route({
  tag: 'admin',
  access: 'admin',
  name: 'listAuditOfAll',
  method: 'get',
  path: '/admin/audit',
  summary: 'List audit log entries of all owners',
  description: 'Newest first. Set `ownerId` to see only one user or workspace.',
  query: v.strictObject({
    ...paging,
    ...filters,
    ownerId: v.optional(
      field(v.pipe(text(64), v.uuid('must be a UUID')), 'Only actions in this user account or workspace'),
    ),
  }),
  status: 200,
  response: pageOf(entry),
  async handle({ services, query }) {
    const page = await services.audit.all(query)
    return { ...page, items: page.items.map((row) => present(fieldsOf(row))) }
  },
})
