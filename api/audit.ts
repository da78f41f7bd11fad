import * as v from 'valibot'
import { auditOutcomes, auditVias, subjectKinds, type NamedAuditEntry } from '../src/audit/audit-entry.ts'
import { differing } from '../src/audit/noted.ts'
import { fieldsOf } from '../src/database/row.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, ownerId, pageOf, paging, pagingOfOwner, text, time } from './schemas/schemas.ts'

const subject = named(
  'AuditSubject',
  v.object({
    kind: named('AuditSubjectKind', v.picklist(subjectKinds), 'What kind of thing it is', 'agent'),
    id: field(v.nullable(v.string()), 'Its identifier, or the name of a host; null if nothing was made'),
    email: field(v.nullable(v.string()), 'The address of a member or an invitation, while there is one', null),
  }),
  'What was acted on; it may be gone',
)
const actor = named(
  'AuditActor',
  v.object({
    userId: field(v.nullable(id), 'The user; null for a command on the server'),
    email: field(
      v.nullable(v.string()),
      'Their address, while they have an account and, in a workspace, are members',
      'ada@example.com',
    ),
    via: named('AuditVia', v.picklist(auditVias), 'How: `mail` is a token from a mail', 'login'),
    viaId: field(v.nullable(id), 'The login or the API key'),
    address: field(v.nullable(v.string()), 'The client address', '203.0.113.7'),
    userAgent: field(v.nullable(v.string()), 'What the client called itself', 'Mozilla/5.0'),
  }),
  'Who acted, and from where',
)
const fields = named('AuditFields', v.record(v.string(), v.unknown()), 'Fields of a thing, long ones cut', {
  name: 'Triage',
})
const entry = named(
  'AuditEntry',
  v.object({
    id,
    ownerId,
    createdAt: time,
    action: field(v.string(), 'The operation: its name in this document', 'updateAgent'),
    subject,
    actor,
    before: field(v.nullable(fields), 'What was before; null if it was made'),
    after: field(v.nullable(fields), 'What has changed; null if it is gone'),
    outcome: named(
      'AuditOutcome',
      v.picklist(auditOutcomes),
      'unknown: it was begun, and is under way, or the platform failed before it could tell what came of it',
      'done',
    ),
  }),
  'One action of somebody on something',
)

const filters = {
  action: v.optional(field(text(64), 'Only this operation', 'updateAgent')),
  subjectId: v.optional(field(text(255), 'Only what was done to this thing')),
  actorId: v.optional(field(v.pipe(text(64), v.uuid('must be a UUID')), 'Only what this user did')),
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
  summary: 'List who did what, newest first',
  description:
    'Every change of what is yours, or of what a workspace has (for its admins): who, from where, what was before and ' +
    'after. Entries are never changed, and are kept for 400 days. Runs, calls and chats have records of their own.',
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
  summary: 'List who did what on this platform, newest first',
  description: 'Of all owners, or of one.',
  query: v.strictObject({
    ...paging,
    ...filters,
    ownerId: v.optional(field(v.pipe(text(64), v.uuid('must be a UUID')), 'Only what is of this owner')),
  }),
  status: 200,
  response: pageOf(entry),
  async handle({ services, query }) {
    const page = await services.audit.all(query)
    return { ...page, items: page.items.map((row) => present(fieldsOf(row))) }
  },
})
