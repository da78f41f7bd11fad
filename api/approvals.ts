import * as v from 'valibot'
import { ownersIn } from '../src/owners/reach.ts'
import type { Caller } from '../src/users/caller.ts'
import { approvalStatuses, type Approval } from '../src/approvals/approval.ts'
import { fieldsOf } from '../src/database/row.ts'
import { JsonText } from '../src/json-text.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { idFilter, id, ownerId, pageOf, pagingOfOwner, text, time } from './schemas/schemas.ts'
import { toolArguments } from './schemas/vault-schema.ts'

const status = named(
  'ApprovalStatus',
  v.picklist(approvalStatuses, `must be one of ${approvalStatuses.join(', ')}`),
  'expired: nobody decided in time · withdrawn: the run or answer that needed it has ended',
  'pending',
)
const hash = 'SHA-256 of the JSON text of the arguments, in hex'
const exampleHash = '2a7ae4c1c8e0a5d9d6a44d4b7b5ac9fd0a5b1c0e6d3f2b1a09f8e7d6c5b4a392'

const approval = named(
  'Approval',
  v.object({
    id,
    ownerId,
    status,
    siteOrigin: field(v.string(), 'The origin of the site', 'https://tracker.example.com'),
    tool: field(v.string(), 'The name of the tool', 'issues.createIssue'),
    arguments: field(toolArguments, 'The exact arguments sent to the tool after approval'),
    argumentsHash: field(v.string(), hash, exampleHash),
    requestedAt: field(time, 'When approval was requested'),
    expiresAt: field(time, 'When it expires'),
    decidedAt: field(v.nullable(time), 'When it was decided, expired or was withdrawn', null),
    note: field(v.nullable(v.string()), 'The note on the decision. The model reads the note on a refusal.', null),
    runId: field(v.nullable(id), 'The run that makes the call; null in a chat'),
    agentId: field(v.nullable(id), 'The agent of the run; null in a chat'),
    sessionId: field(v.nullable(id), 'The chat session of the call; null in a run', null),
    answerId: field(v.nullable(id), 'The chat answer that makes the call; null in a run', null),
  }),
  'A tool call that needs approval',
)

const present = (row: Approval) => ({ ...fieldsOf(row), arguments: new JsonText(row.arguments) })

const shared = { tag: 'approvals', access: 'account', status: 200 } as const

type Named = { services: Services; caller: Pick<Caller, 'reach'>; params: { approvalId: string } }
const resource = ({ services, caller, params }: Named) =>
  services.approvals.get(ownersIn(caller.reach), params.approvalId)

export const listApprovals = route({
  ...shared,
  name: 'listApprovals',
  method: 'get',
  path: '/approvals',
  summary: 'List approvals',
  description:
    'Newest first. Approvals with the status `pending` wait for your decision. See ' +
    '[Approvals](/docs/how-to/approvals).',
  owner: 'query',
  query: v.strictObject({
    ...pagingOfOwner,
    status: v.optional(status),
    agentId: idFilter('Only approvals for runs of this agent'),
    sessionId: idFilter('Only approvals for this chat session'),
  }),
  response: pageOf(approval),
  async handle({ services, ownerId, query }) {
    const page = await services.approvals.list(ownerId, query)
    return { ...page, items: page.items.map(present) }
  },
})

export const getApproval = route({
  ...shared,
  name: 'getApproval',
  method: 'get',
  path: '/approvals/{approvalId}',
  summary: 'Get an approval',
  description: 'Shows the arguments of the tool call. Read them before you decide.',
  response: approval,
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ resource }) => present(resource),
})

export const decideApproval = route({
  ...shared,
  name: 'decideApproval',
  audit: { subject: 'approval' },
  needs: 'use',
  method: 'post',
  path: '/approvals/{approvalId}',
  summary: 'Approve or refuse a tool call',
  description:
    'An approved call is made with exactly the arguments shown. If you refuse it or it expires, the model learns ' +
    'this and continues without it. Repeating the same decision changes nothing. A different one fails with ' +
    '`VALIDATION_ERROR`. See [Approvals](/docs/how-to/approvals).',
  body: v.strictObject({
    decision: named(
      'ApprovalDecisionRequest',
      v.picklist(['approve', 'refuse'], 'must be approve or refuse'),
      'Your decision',
      'approve',
    ),
    note: v.optional(field(text(1000), 'A note, which the model reads if you refuse', 'Ask the customer first.')),
    argumentsHash: v.optional(
      field(
        text(64),
        'The `argumentsHash` you reviewed. If the approval has a different one, nothing is decided.',
        exampleHash,
      ),
    ),
  }),
  response: approval,
  resource,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, resource, body }) {
    const by = { ownerId: resource.ownerId, userId: caller.userId }
    const decided = await services.approvals.decide(by, resource.id, body)
    if (decided.agentId !== null) await services.runs.reconciler.reconcileNow(decided.agentId)
    if (decided.answerId !== null) await services.chat.goOn(decided.answerId)
    return present(decided)
  },
})
