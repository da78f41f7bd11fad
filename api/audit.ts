import * as v from 'valibot'
import { auditOutcomes, auditVias, subjectKinds, type NamedAuditEntry } from '../src/audit/audit-entry.ts'
import { differing } from '../src/audit/noted-fields.ts'
import { fieldsOf } from '../src/database/row.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { exampleIds } from './schemas/example-ids.ts'
import { id, ownerId, pageOf, paging, pagingOfOwner, text, time } from './schemas/schemas.ts'

const subject = named(
  'AuditSubject',
  v.object({
    kind: named('AuditSubjectKind', v.picklist(subjectKinds), 'Kind of item', 'agent'),
    id: field(v.nullable(v.string()), 'Id of the item, or the name of a host. Null if nothing was created.'),
    email: field(v.nullable(v.string()), 'Email address of a member or invitation that still exists', null),
  }),
  'Item that was acted on. This item might no longer exist.',
)
const actor = named(
  'AuditActor',
  v.object({
    userId: field(v.nullable(id), 'Id of the user. Null if an operator ran a command on the server.', exampleIds.user),
    email: field(
      v.nullable(v.string()),
      'Email address of the user. Null if the account no longer exists or, in a workspace, if the user is no longer a member.',
      'ada@example.com',
    ),
    via: named(
      'AuditVia',
      v.picklist(auditVias),
      'How the user was authenticated. `login`: with a sign-in session. `mail`: with a token from an email.',
      'login',
    ),
    viaId: field(v.nullable(id), 'Id of the sign-in session, API key or connected app', exampleIds.login),
    address: field(v.nullable(v.string()), 'IP address of the client', '203.0.113.7'),
    userAgent: field(v.nullable(v.string()), '`User-Agent` of the client', 'Mozilla/5.0'),
  }),
  'Actor, and where the request came from',
)
const fields = named(
  'AuditFields',
  v.record(v.string(), v.unknown()),
  'Fields of the item, with long values truncated',
  {
    name: 'Triage',
  },
)
const entry = named(
  'AuditEntry',
  v.object({
    id,
    ownerId,
    createdAt: time,
    action: field(
      v.string(),
      'Operation that the user called, identified by its `operationId` in the OpenAPI document',
      'updateAgent',
    ),
    subject,
    actor,
    before: field(v.nullable(fields), 'Fields before the change. Null if the item was created.'),
    after: field(v.nullable(fields), 'Changed fields. Null if the item was deleted.'),
    outcome: named(
      'AuditOutcome',
      v.picklist(auditOutcomes),
      'unknown: the action is still running, or the platform failed before it could record the outcome',
      'done',
    ),
  }),
  'Audit log entry',
)

const filters = {
  action: v.optional(field(text(64), 'Return only entries for this operation', 'updateAgent')),
  subjectId: v.optional(field(text(255), 'Return only entries for actions on this item')),
  actorId: v.optional(
    field(v.pipe(text(64), v.uuid('must be a UUID')), 'Return only entries for actions by this user'),
  ),
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
    'Newest first. Each entry shows who changed what and from where, with the values before and after. Entries never change and are retained for 400 days. Runs, tool calls and chats have their own records. In a workspace, requires the `admin` or `owner` role.',
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
  summary: 'List audit log entries for all owners',
  description: 'Newest first. Set `ownerId` to list only the entries of one user or workspace.',
  query: v.strictObject({
    ...paging,
    ...filters,
    ownerId: v.optional(
      field(
        v.pipe(text(64), v.uuid('must be a UUID')),
        'Return only entries for actions in this user account or workspace',
      ),
    ),
  }),
  status: 200,
  response: pageOf(entry),
  async handle({ services, query }) {
    const page = await services.audit.all(query)
    return { ...page, items: page.items.map((row) => present(fieldsOf(row))) }
  },
})
