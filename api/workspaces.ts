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
  description: 'You are its owner: your tier and your credits are its own.',
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
  summary: 'List the workspaces that you are a member of, newest first',
  description: 'An API key sees its own, if it was made for one.',
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
  description: 'Its members have a list of their own.',
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
  summary: 'Rename a workspace, bound what it may use, or say what leavers leave',
  description: 'Admins and the owner may do so.',
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
    'With everything in it, for everybody, at once. Only its owner may, also while the account of the owner can be restored.',
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
