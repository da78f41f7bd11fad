import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { invitedRoles } from '../src/workspaces/invitation.ts'
import { actorOf } from './route/audited.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, pageOf, paging, text, time } from './schemas/schemas.ts'
import { membership } from './schemas/workspace-schema.ts'
import { workspaceNamed as resource } from './route/resources.ts'

const invitedRole = named(
  'InvitedRole',
  v.picklist(invitedRoles, `must be one of ${invitedRoles.join(', ')}`),
  'What one is to be in the workspace',
  'member',
)
const addressMeaning = 'The address that is invited; only an account that has it, verified, can accept'
const invitation = named(
  'Invitation',
  v.object({
    id,
    email: field(v.string(), addressMeaning, 'grace@example.com'),
    role: invitedRole,
    createdAt: time,
    expiresAt: field(time, 'Until when it can be accepted'),
  }),
  'An invitation that is open',
)

const ofWorkspace = { tag: 'workspaces', access: 'login', needs: 'administer', status: 200, resource } as const
const token = field(text(200), 'The token from the mail', 'sy_join_an-example')

export const inviteMember = route({
  ...ofWorkspace,
  name: 'inviteMember',
  audit: { subject: 'invitation' },
  method: 'post',
  path: '/workspaces/{workspaceId}/invitations',
  summary: 'Invite somebody to a workspace',
  description:
    'Mails a token, which is good for seven days and for this address only. Another invitation of the same address ' +
    'replaces it. It is void once you may not invite any more. A workspace can send 50 an hour.',
  body: v.strictObject({ email: field(text(254), addressMeaning, 'grace@example.com'), role: invitedRole }),
  status: 201,
  response: invitation,
  codes: ['WORKSPACE_NOT_FOUND', 'FEATURE_LIMIT_REACHED'],
  handle: async ({ services, caller, resource, body }) =>
    fieldsOf(await services.workspaces.invite(caller, resource, body)),
})

export const listInvitations = route({
  ...ofWorkspace,
  name: 'listInvitations',
  method: 'get',
  path: '/workspaces/{workspaceId}/invitations',
  summary: 'List the open invitations of a workspace, newest first',
  description: 'Those that were accepted, withdrawn or replaced are not listed.',
  query: v.strictObject(paging),
  response: pageOf(invitation),
  codes: ['WORKSPACE_NOT_FOUND'],
  handle: ({ services, resource, query }) => services.workspaces.invitations(resource.id, query),
})

export const withdrawInvitation = route({
  ...ofWorkspace,
  name: 'withdrawInvitation',
  audit: { subject: 'invitation' },
  look: ({ services, resource, params }) => services.workspaces.invitation(resource.id, params.invitationId),
  method: 'delete',
  path: '/workspaces/{workspaceId}/invitations/{invitationId}',
  summary: 'Withdraw an invitation',
  description: 'Its token is refused from then on.',
  whenClosed: true,
  status: 204,
  codes: ['WORKSPACE_NOT_FOUND', 'NOT_FOUND'],
  handle: ({ services, resource, params }) => services.workspaces.withdrawInvitation(resource.id, params.invitationId),
})

export const previewInvitation = route({
  tag: 'workspaces',
  access: 'anyone',
  limit: 'address',
  name: 'previewInvitation',
  audit: { not: 'It changes nothing.' },
  method: 'post',
  path: '/invitations/preview',
  summary: 'See what one is invited to',
  description: 'Only the name of the workspace, and who invites.',
  body: v.strictObject({ token }),
  status: 200,
  response: named(
    'InvitationPreview',
    v.object({
      workspace: field(v.string(), 'The name of the workspace', 'Support'),
      inviter: field(v.string(), 'The address of whoever invites', 'ada@example.com'),
      expiresAt: field(time, 'Until when it can be accepted'),
    }),
    'What the holder of a token may know',
  ),
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
  handle: ({ services, body }) => services.workspaces.previewInvitation(body.token),
})

export const acceptInvitation = route({
  tag: 'workspaces',
  access: 'login',
  name: 'acceptInvitation',
  audit: { not: 'Noted in the transaction of the change.' },
  method: 'post',
  path: '/invitations/accept',
  summary: 'Join a workspace',
  description:
    'With the token of an invitation to the address of your account, which has to be verified. Safe to repeat.',
  body: v.strictObject({ token }),
  status: 200,
  response: membership,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'WORKSPACE_REQUIRED', 'FEATURE_LIMIT_REACHED'],
  handle: async ({ services, caller, request, body }) => {
    const by = { ...actorOf({ caller, request }), userId: caller.userId }
    return fieldsOf(await services.workspaces.acceptInvitation(by, body.token))
  },
})
