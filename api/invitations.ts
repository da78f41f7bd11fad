import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { invitedRoles } from '../src/workspaces/invitation.ts'
import { actorOf } from './route/audited.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { pageOf, paging, text, time } from './schemas/schemas.ts'
import { membership } from './schemas/workspace-schema.ts'
import { workspaceNamed as resource } from './route/resources.ts'

const invitedRole = named(
  'InvitedRole',
  v.picklist(invitedRoles, `must be one of ${invitedRoles.join(', ')}`),
  'Role after joining',
  'member',
)
const addressMeaning = 'Invited email address. Only an account that has verified this address can accept.'
const invitation = named(
  'Invitation',
  v.object({
    id: idOf('invitation'),
    email: field(v.string(), addressMeaning, 'grace@example.com'),
    role: invitedRole,
    createdAt: time,
    expiresAt: field(time, 'When the invitation expires'),
  }),
  'Open invitation',
)

const ofWorkspace = { tag: 'workspaces', access: 'login', needs: 'administer', status: 200, resource } as const
const token = field(text(200), 'Token from the email', 'sy_join_an-example')

export const inviteMember = route({
  ...ofWorkspace,
  name: 'inviteMember',
  audit: { subject: 'invitation' },
  method: 'post',
  path: '/workspaces/{workspaceId}/invitations',
  summary: 'Invite someone to a workspace',
  description:
    'Emails a token that works for seven days, and only for the invited address. The token stops working if you invite the address again or lose permission to invite. A workspace can send up to 50 invitations per hour. Requires the `admin` or `owner` role.',
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
  summary: 'List open invitations',
  description:
    'Newest first, without invitations that were accepted, withdrawn or replaced. Requires the `admin` or `owner` ' +
    'role.',
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
  description: "The invitation's token stops working. Requires the `admin` or `owner` role.",
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
  summary: 'Preview an invitation',
  description: 'Shows the workspace and the inviter before you accept.',
  body: v.strictObject({ token }),
  status: 200,
  response: named(
    'InvitationPreview',
    v.object({
      workspace: field(v.string(), 'Name of the workspace', 'Support'),
      inviter: field(v.string(), 'Email address of the inviter', 'ada@example.com'),
      expiresAt: field(time, 'When the invitation expires'),
    }),
    'Details shown to the holder of an invitation token',
  ),
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
  handle: ({ services, body }) => services.workspaces.previewInvitation(body.token),
})

export const acceptInvitation = route({
  tag: 'workspaces',
  access: 'login',
  name: 'acceptInvitation',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'Adds you to the workspace. Requires a verified email address that matches the invitation. Safe to repeat.',
  body: v.strictObject({ token }),
  status: 200,
  response: membership,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'WORKSPACE_REQUIRED', 'FEATURE_LIMIT_REACHED'],
  handle: async ({ services, caller, request, body }) => {
    const by = { ...actorOf({ caller, request }), userId: caller.userId }
    return fieldsOf(await services.workspaces.acceptInvitation(by, body.token))
  },
})
