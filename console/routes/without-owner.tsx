import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { addressOf, homeOf } from '../session/account.ts'
import { signedIn } from './gates.tsx'

const index = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    throw redirect({ to: '/w/$owner', params: { owner: homeOf(context.account) }, replace: true })
  },
})

/** An address that names a page and no owner, as people type it. */
const unowned = createRoute({
  getParentRoute: () => signedIn,
  path: '/$page',
  beforeLoad({ params: { page }, context }) {
    const owner = homeOf(context.account)
    if (page === 'agents') throw redirect({ to: '/w/$owner/agents', params: { owner }, replace: true })
    if (page === 'runs') throw redirect({ to: '/w/$owner/runs', params: { owner }, replace: true })
    if (page === 'approvals') throw redirect({ to: '/w/$owner/approvals', params: { owner }, replace: true })
    if (page === 'sites') throw redirect({ to: '/w/$owner/sites', params: { owner }, replace: true })
    if (page === 'start') throw redirect({ to: '/w/$owner/start', params: { owner }, replace: true })
    throw notFound()
  },
})

/** The addresses in mails, which do not name the owner. */
const mailedRun = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId',
  async beforeLoad({ params: { runId }, context }) {
    const { data } = await client.GET('/runs/{runId}', { params: { path: { runId } } })
    if (!data) throw notFound()
    const owner = addressOf(data.ownerId, context.account)
    throw redirect({ to: '/w/$owner/runs/$runId', params: { owner, runId }, replace: true })
  },
})
const mailedApproval = createRoute({
  getParentRoute: () => signedIn,
  path: '/approvals/$approvalId',
  async beforeLoad({ params: { approvalId }, context }) {
    const { data } = await client.GET('/approvals/{approvalId}', { params: { path: { approvalId } } })
    if (!data) throw notFound()
    const owner = addressOf(data.ownerId, context.account)
    throw redirect({ to: '/w/$owner/approvals', params: { owner }, search: { approval: approvalId }, replace: true })
  },
})

const mailedAgent = createRoute({
  getParentRoute: () => signedIn,
  path: '/agents/$agentId',
  async beforeLoad({ params: { agentId }, context }) {
    const { data } = await client.GET('/agents/{agentId}', { params: { path: { agentId } } })
    if (!data) throw notFound()
    const owner = addressOf(data.ownerId, context.account)
    throw redirect({ to: '/w/$owner/agents/$agentId', params: { owner, agentId }, replace: true })
  },
})
const mailedSite = createRoute({
  getParentRoute: () => signedIn,
  path: '/sites/$entryId',
  async beforeLoad({ params: { entryId }, context }) {
    const { data } = await client.GET('/vault/{entryId}', { params: { path: { entryId } } })
    if (!data) throw notFound()
    const owner = addressOf(data.ownerId, context.account)
    throw redirect({ to: '/w/$owner/sites/$entryId', params: { owner, entryId }, replace: true })
  },
})

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps',
  staticData: { title: 'Connected apps' },
  component: lazyRouteComponent(() => import('../screens/apps/Apps.tsx'), 'Page'),
})
const allowApp = createRoute({
  getParentRoute: () => signedIn,
  path: '/allow-app/$requestId',
  staticData: { title: 'Connect an app' },
  component: lazyRouteComponent(() => import('../screens/apps/AllowApp.tsx'), 'Page'),
})

/** Addresses without an owner: of the person's apps, and those that lead to an address with an owner. */
export const withoutOwner = [apps, allowApp, index, unowned, mailedRun, mailedApproval, mailedAgent, mailedSite]
