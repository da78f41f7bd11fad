import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import type { Services } from '../src/services.ts'
import { requireOwnAccount } from '../src/users/caller.ts'
import { actorOf } from './route/audited.ts'
import { route } from './route/route.ts'
import { code, password } from './schemas/auth-schema.ts'
import { field } from './schemas/documented.ts'
import { text } from './schemas/schemas.ts'
import { membership, transfer } from './schemas/workspace-schema.ts'
import { workspaceNamed as resource } from './route/resources.ts'

/** What the audit log notes: who owns it, and to whom it is offered. */
async function look({ services, resource }: { services: Services; resource: { id: string; payerId: string } }) {
  const [offer] = await services.workspaces.offers([resource.id])
  return { payerId: resource.payerId, offeredTo: offer?.userId ?? null }
}

const shared = { tag: 'workspaces', access: 'login', status: 200, resource, whenClosed: true } as const

export const offerWorkspace = route({
  ...shared,
  name: 'offerWorkspace',
  audit: { subject: 'workspace' },
  look,
  method: 'post',
  path: '/workspaces/{workspaceId}/transfer',
  summary: 'Offer a member to hand the workspace over',
  description:
    'Its owner does so, with the password of the account, and `code` if it has an authenticator app. The member has seven ' +
    'days to accept. Another offer replaces this one. Nothing changes until it is accepted.',
  needs: 'own',
  body: v.strictObject({
    userId: field(v.pipe(text(64), v.uuid('must be a UUID')), 'The member', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'),
    password,
    code: v.optional(code),
  }),
  response: transfer,
  codes: ['WORKSPACE_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  handle: ({ services, caller, resource, request, body }) =>
    services.workspaces.offer(resource, {
      by: caller.userId,
      userId: body.userId,
      proof: { currentPassword: body.password, code: body.code },
      address: request.address,
    }),
})

export const withdrawTransfer = route({
  ...shared,
  name: 'withdrawTransfer',
  audit: { subject: 'workspace' },
  look,
  method: 'delete',
  path: '/workspaces/{workspaceId}/transfer',
  summary: 'Withdraw or decline an offer',
  description: 'The owner withdraws it; the member whom it is made to declines it. For others there is none.',
  needs: 'see',
  status: 204,
  codes: ['WORKSPACE_NOT_FOUND', 'NOT_FOUND'],
  handle: ({ services, caller, resource }) => services.workspaces.withdrawOffer(resource.id, caller.userId),
})

export const acceptTransfer = route({
  ...shared,
  name: 'acceptTransfer',
  audit: { not: 'Noted in the transaction of the change.' },
  method: 'post',
  path: '/workspaces/{workspaceId}/transfer/accept',
  summary: 'Take a workspace over',
  description:
    'The member whom it is offered to becomes its owner, and the former owner an admin. From then on the account of the new ' +
    'owner pays, also for steps of runs and chats that are under way; what was used before stays in the ledger of the former ' +
    'owner. Your address has to be verified, and your account has to have room for the workspace, its agents, sites, API keys ' +
    'and members. Safe to repeat.',
  needs: 'see',
  response: membership,
  codes: [
    'WORKSPACE_NOT_FOUND',
    'NOT_FOUND',
    'WORKSPACE_REQUIRED',
    'FEATURE_LIMIT_REACHED',
    'AGENT_LIMIT_REACHED',
    'VAULT_LIMIT_REACHED',
  ],
  handle: async ({ services, caller, request, resource }) => {
    // Whoever runs the provider of a workspace can sign in as a member, and is not to have that member's account pay.
    requireOwnAccount(caller)
    const by = { ...actorOf({ caller, request }), userId: caller.userId }
    return fieldsOf(await services.workspaces.acceptOffer(by, resource.id))
  },
})
