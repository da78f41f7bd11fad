import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import type { Services } from '../src/services.ts'
import type { Caller } from '../src/users/caller.ts'
import type { Workspace } from '../src/workspaces/workspace.ts'
import { route } from './route/route.ts'
import { pageOf, paging } from './schemas/schemas.ts'
import { workspace, workspaceChanges, workspaceName } from './schemas/workspace-schema.ts'
import { workspaceNamed as resource } from './route/resources.ts'

const shared = { tag: 'workspaces', access: 'account', status: 200 } as const
const byLogin = { ...shared, access: 'login' } as const

type Reader = Pick<Caller, 'reach' | 'userId'>

async function presentAll(services: Services, { reach, userId }: Reader, rows: Workspace[]) {
  const ids = rows.map(({ id }) => id)
  const used = await services.billing.usage.ofAll('workspaces', ids)
  const offers = await services.workspaces.offers(ids)
  return rows.map((row) => {
    const { role = 'viewer', closedBy = 'tier' } = reach.places.get(row.id) ?? {}
    const offer = offers.find(({ workspaceId }) => workspaceId === row.id)
    const transfer = offer && (role === 'owner' || offer.userId === userId) ? offer : null
    return { ...fieldsOf(row), role, open: closedBy === null, usage: used.get(row.id), transfer }
  })
}

async function present(services: Services, caller: Reader, row: Workspace) {
  const [presented] = await presentAll(services, caller, [row])
  return { ...presented }
}

export const createWorkspace = route({
  ...byLogin,
  name: 'createWorkspace',
  audit: { subject: 'workspace', in: 'home' },
  method: 'post',
  path: '/workspaces',
  summary: 'Create a workspace',
  description:
    'You become the owner of the workspace, and your account pays for it. Requires a tier that includes workspaces ' +
    '(`WORKSPACE_REQUIRED`). See [Workspaces](/docs/how-to/workspaces).',
  body: v.strictObject({ name: workspaceName }),
  status: 201,
  response: workspace,
  codes: ['WORKSPACE_REQUIRED', 'FEATURE_LIMIT_REACHED'],
  async handle({ services, caller, body }) {
    const made = await services.workspaces.create(caller.userId, body)
    return { ...(await present(services, caller, made)), role: 'owner', open: true }
  },
})

export const listWorkspaces = route({
  ...shared,
  name: 'listWorkspaces',
  method: 'get',
  path: '/workspaces',
  summary: 'List your workspaces',
  description: "Newest first. With a workspace's API key, only that workspace is listed.",
  query: v.strictObject(paging),
  response: pageOf(workspace),
  async handle({ services, caller, query }) {
    const page = await services.workspaces.list(caller.reach, query)
    return { ...page, items: await presentAll(services, caller, page.items) }
  },
})

export const getWorkspace = route({
  ...shared,
  name: 'getWorkspace',
  method: 'get',
  path: '/workspaces/{workspaceId}',
  summary: 'Get a workspace',
  description:
    'Shows your role, the monthly credit cap and its usage. For the members, see `GET ' +
    '/workspaces/{workspaceId}/members`.',
  response: workspace,
  resource,
  codes: ['WORKSPACE_NOT_FOUND'],
  handle: ({ services, caller, resource }) => present(services, caller, resource),
})

export const updateWorkspace = route({
  ...byLogin,
  name: 'updateWorkspace',
  audit: { subject: 'workspace' },
  method: 'patch',
  path: '/workspaces/{workspaceId}',
  summary: 'Update a workspace',
  description:
    "Changes the workspace's name, its monthly credit cap, or what happens to the sites connected by members who leave. " +
    'Requires the `admin` or `owner` role.',
  needs: 'administer',
  body: v.strictObject(workspaceChanges),
  response: workspace,
  resource,
  codes: ['WORKSPACE_NOT_FOUND'],
  handle: async ({ services, caller, resource, body }) =>
    present(services, caller, await services.workspaces.update(resource, body)),
})

export const deleteWorkspace = route({
  ...byLogin,
  name: 'deleteWorkspace',
  endsAccess: true,
  audit: { subject: 'workspace', in: 'home' },
  method: 'delete',
  path: '/workspaces/{workspaceId}',
  summary: 'Delete a workspace',
  description:
    "Deletes the workspace and everything in it immediately, for all members. Also works while the owner's account is scheduled for deletion. Requires the `owner` role.",
  needs: 'own',
  whenClosed: true,
  whileClosing: true,
  status: 204,
  resource,
  codes: ['WORKSPACE_NOT_FOUND'],
  async handle({ services, caller, resource }) {
    await services.workspaces.remove(resource, caller.userId)
    await services.accessChanges.note()
  },
})
