import * as v from 'valibot'
import { ownersIn } from '../src/owners/reach.ts'
import type { Caller } from '../src/users/caller.ts'
import { approvalStatuses, formOf, type Approval } from '../src/approvals/approval.ts'
import { fieldsOf } from '../src/database/row.ts'
import { JsonText } from '../src/json-text.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { approvalForm, formInput } from './schemas/form-schema.ts'
import { field, named } from './schemas/documented.ts'
import { exampleIds, idOf } from './schemas/example-ids.ts'
import { idFilter, id, ownerId, pageOf, pagingOfOwner, text, time } from './schemas/schemas.ts'
import { toolArguments } from './schemas/vault-schema.ts'

const status = named(
  'ApprovalStatus',
  v.picklist(approvalStatuses, `must be one of ${approvalStatuses.join(', ')}`),
  'expired: nobody decided in time · withdrawn: the run or answer that needed the approval has ended',
  'pending',
)
const hash = 'SHA-256 of the JSON text of the arguments, in hex'
const exampleHash = '2a7ae4c1c8e0a5d9d6a44d4b7b5ac9fd0a5b1c0e6d3f2b1a09f8e7d6c5b4a392'

const approval = named(
  'Approval',
  v.object({
    id: idOf('approval'),
    ownerId,
    status,
    siteOrigin: field(v.string(), 'Origin of the site', 'https://tracker.example.com'),
    tool: field(v.string(), 'Name of the tool', 'issues.createIssue'),
    arguments: field(toolArguments, 'Exact arguments sent to the tool after approval'),
    argumentsHash: field(v.string(), hash, exampleHash),
    requestedAt: field(time, 'When approval was requested'),
    expiresAt: field(time, 'When the approval request expires'),
    decidedAt: field(v.nullable(time), 'When the approval was decided, expired or was withdrawn', null),
    note: field(
      v.nullable(v.string()),
      'Note on the decision. If the call is refused before it is made, the model reads this note.',
      null,
    ),
    form: field(
      v.nullable(approvalForm),
      'What the site asks for in the middle of the call. Null if the approval is about the call itself.',
      null,
    ),
    input: field(
      v.nullable(formInput),
      'The values that were given, which the site gets. Null if there are none.',
      null,
    ),
    runId: field(v.nullable(id), 'Run that requested the call. Null in a chat.', exampleIds.run),
    agentId: field(v.nullable(id), 'Agent that the run belongs to. Null in a chat.'),
    sessionId: field(v.nullable(id), 'Chat session that the call belongs to. Null in a run.', null),
    answerId: field(v.nullable(id), 'Chat answer that requested the call. Null in a run.', null),
  }),
  'Tool call that needs approval',
)

const present = (row: Approval) => ({
  ...fieldsOf(row),
  arguments: new JsonText(row.arguments),
  form: formOf(row) ?? null,
  input: row.input === null ? null : new JsonText(row.input),
})

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
    'Newest first. Approvals with the `pending` status are waiting for your decision. See ' +
    '[Approvals](/docs/how-to/approvals).',
  owner: 'query',
  query: v.strictObject({
    ...pagingOfOwner,
    status: v.optional(status),
    agentId: idFilter("Return only approvals for this agent's runs"),
    sessionId: idFilter('Return only approvals for this chat session'),
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
  // A model may hold a key. It must not approve its own call.
  scope: 'decide',
  method: 'post',
  path: '/approvals/{approvalId}',
  summary: 'Approve or refuse a tool call',
  description:
    'An approved call is made with exactly the arguments shown. If the approval has a `form`, approve with the values in `input`: the site gets them and continues the call. If you refuse the call or its approval request expires, the model is informed and continues without the call. Repeating the same decision changes nothing. A different decision fails with `VALIDATION_ERROR`. An API key needs the `decide` scope. See [Approvals](/docs/how-to/approvals).',
  body: v.strictObject({
    decision: named(
      'ApprovalDecisionRequest',
      v.picklist(['approve', 'refuse'], 'must be approve or refuse'),
      'Your decision',
      'approve',
    ),
    note: v.optional(
      field(text(1000), 'Note on the decision. The model reads it if you refuse the call.', 'Ask the customer first.'),
    ),
    input: v.optional(field(formInput, 'The values for the `form` of the approval, if it has one and you approve')),
    argumentsHash: v.optional(
      field(
        text(64),
        '`argumentsHash` that you reviewed. If the approval has a different one, nothing is decided.',
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
