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

/** The fields for the audit log: the owner, and the member with an offer. */
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
  summary: 'Offer a workspace to a member',
  description:
    'The member has seven days to accept, and nothing changes until the member accepts. A new offer replaces the previous one. Requires the `owner` role, your password, and `code` if the account has an authenticator app. See [Workspaces](/docs/how-to/workspaces).',
  needs: 'own',
  body: v.strictObject({
    userId: field(
      v.pipe(text(64), v.uuid('must be a UUID')),
      'Member to offer the workspace to',
      '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10',
    ),
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
  summary: 'Withdraw or decline a transfer offer',
  description:
    'Withdraws the offer if you made it, or declines it if it was made to you. For anyone else, the request fails with `NOT_FOUND`.',
  needs: 'see',
  status: 204,
  codes: ['WORKSPACE_NOT_FOUND', 'NOT_FOUND'],
  handle: ({ services, caller, resource }) => services.workspaces.withdrawOffer(resource.id, caller.userId),
})

export const acceptTransfer = route({
  ...shared,
  name: 'acceptTransfer',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/workspaces/{workspaceId}/transfer/accept',
  summary: 'Accept a workspace transfer',
  description:
    'You become the owner, and the former owner becomes an admin. Your account then pays for the workspace, including for runs and chats that have already started. Requires a verified email address, a tier that includes workspaces (`WORKSPACE_REQUIRED`), and room within your limits. Safe to repeat.',
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
    // The operator of the workspace's provider can sign in as a member, and must not make that member's account pay.
    requireOwnAccount(caller)
    const by = { ...actorOf({ caller, request }), userId: caller.userId }
    return fieldsOf(await services.workspaces.acceptOffer(by, resource.id))
  },
})
