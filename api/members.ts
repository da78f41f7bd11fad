import * as v from 'valibot'
import { requireAction } from '../src/owners/reach.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { pageOf, paging } from './schemas/schemas.ts'
import { connections, member, role } from './schemas/workspace-schema.ts'
import { workspaceNamed as resource } from './route/resources.ts'

type Concerned = { services: Services; resource: { id: string }; params: { workspaceId: string; userId: string } }
const look = ({ services, resource, params }: Concerned) => services.workspaces.member(resource.id, params.userId)

const shared = { tag: 'workspaces', status: 200, resource } as const

export const listMembers = route({
  ...shared,
  access: 'account',
  name: 'listMembers',
  method: 'get',
  path: '/workspaces/{workspaceId}/members',
  summary: 'List workspace members',
  description: 'Most recently joined first.',
  query: v.strictObject(paging),
  response: pageOf(member),
  codes: ['WORKSPACE_NOT_FOUND'],
  handle: ({ services, resource, query }) => services.workspaces.members(resource.id, query),
})

export const changeRole = route({
  ...shared,
  access: 'login',
  name: 'changeRole',
  endsAccess: true,
  audit: { subject: 'member' },
  look,
  method: 'patch',
  path: '/workspaces/{workspaceId}/members/{userId}',
  summary: "Change a member's role",
  description:
    "The owner's role cannot be changed. To make a member the owner, use `POST " +
    '/workspaces/{workspaceId}/transfer`. Requires the `admin` or `owner` role.',
  needs: 'administer',
  body: v.strictObject({ role }),
  response: member,
  codes: ['WORKSPACE_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN'],
  async handle({ services, resource, params, body }) {
    const changed = await services.workspaces.changeRole(resource.id, params.userId, body.role)
    await services.accessChanges.note()
    return changed
  },
})

export const removeMember = route({
  ...shared,
  access: 'login',
  name: 'removeMember',
  endsAccess: true,
  audit: { subject: 'member' },
  look,
  method: 'delete',
  path: '/workspaces/{workspaceId}/members/{userId}',
  summary: 'Remove a member or leave a workspace',
  description:
    'The member loses access immediately: their chats in the workspace end, and their API keys for it stop ' +
    'working. Everything they created stays. `connectionsOfLeavers` determines what happens to the sites they connected, unless an ' +
    'admin sets `connections`. Everyone except the owner can leave. Removing others requires the `admin` or ' +
    '`owner` role.',
  needs: 'see',
  query: v.strictObject({ connections: v.optional(connections) }),
  status: 204,
  codes: ['WORKSPACE_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN', 'PERMISSION_DENIED'],
  async handle({ services, caller, resource, params, query }) {
    const isSimple = params.userId === caller.userId && query.connections === undefined
    if (!isSimple) requireAction(caller.reach, resource.id, 'administer', true)
    await services.workspaces.removeMember(resource.id, params.userId, query.connections)
    await services.accessChanges.note()
  },
})
