import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router'
import { client } from './api/client.ts'
import { queries } from './api/queries.ts'
import { ErrorPage, NotFoundPage, Pending } from './parts/pages.tsx'
import { readRunFilters } from './lists/run-filters.ts'
import { readInboxSearch } from './screens/approvals/inbox.ts'
import { accountQuery, homeOf, needsTerms, own, workspacesQuery } from './session/account.ts'
import { keepToken, keptToken, tokenIn } from './session/link-token.ts'
import { Shell } from './Shell.tsx'

/** Every screen: its address, what its address may say, its title and its code, which is loaded when it is opened. */
const root = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: ErrorPage })

const readFrom = (raw: Record<string, unknown>) => ({ from: typeof raw['from'] === 'string' ? raw['from'] : undefined })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  staticData: { title: 'Sign in' },
  validateSearch: readFrom,
  component: lazyRouteComponent(() => import('./screens/account/SignIn.tsx'), 'Page'),
})
const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  staticData: { title: 'Create an account' },
  validateSearch: readFrom,
  component: lazyRouteComponent(() => import('./screens/account/Register.tsx'), 'Page'),
})
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  staticData: { title: 'Forgot your password?' },
  component: lazyRouteComponent(() => import('./screens/account/Forgot.tsx'), 'Page'),
})
const terms = createRoute({
  getParentRoute: () => root,
  path: '/terms',
  staticData: { title: 'Terms' },
  validateSearch: readFrom,
  async beforeLoad({ location }) {
    const account = await queries.ensureQueryData(accountQuery)
    if (account === null) throw redirect({ to: '/sign-in', search: { from: location.href }, replace: true })
  },
  component: lazyRouteComponent(() => import('./screens/account/Terms.tsx'), 'Page'),
})

/** A page to which a link with a token leads. The token leaves the address bar before anything is shown. */
const linked = <const Path extends string>(path: Path, title: string, load: () => Promise<{ Page: () => unknown }>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    staticData: { title },
    beforeLoad({ location: { hash } }) {
      const token = tokenIn(hash)
      if (token !== undefined) keepToken(path, token)
      if (hash !== '') throw redirect({ to: path as '/verify', replace: true })
      return { token: keptToken(path) }
    },
    component: lazyRouteComponent(load, 'Page') as () => React.ReactNode,
  })
const first = linked('/first', 'Welcome', () => import('./screens/account/First.tsx'))
const verify = linked('/verify', 'Verify your address', () => import('./screens/account/Verify.tsx'))
const reset = linked('/reset', 'Choose a new password', () => import('./screens/account/Reset.tsx'))
const invitation = linked('/invitation', 'Invitation', () => import('./screens/account/Invitation.tsx'))

/** Pages of somebody who is signed in and has accepted the terms. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  async beforeLoad({ location }) {
    const account = await queries.ensureQueryData(accountQuery)
    if (account === null) throw redirect({ to: '/sign-in', search: { from: location.href }, replace: true })
    if (needsTerms(account)) throw redirect({ to: '/terms', search: { from: location.href }, replace: true })
    return { account }
  },
})

const index = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    throw redirect({ to: '/w/$owner', params: { owner: homeOf(context.account) }, replace: true })
  },
})

const addressOf = (ownerId: string, account: { id: string }): string => (ownerId === account.id ? own : ownerId)

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

/** An agent has no page yet: its runs say what happened. */
const mailedAgent = createRoute({
  getParentRoute: () => signedIn,
  path: '/agents/$agentId',
  async beforeLoad({ params: { agentId }, context }) {
    const { data } = await client.GET('/agents/{agentId}', { params: { path: { agentId } } })
    if (!data) throw notFound()
    const owner = addressOf(data.ownerId, context.account)
    throw redirect({ to: '/w/$owner/runs', params: { owner }, search: { agentId }, replace: true })
  },
})
/** A site has no page yet: the home page says what it needs. */
const mailedSite = createRoute({
  getParentRoute: () => signedIn,
  path: '/sites/$entryId',
  async beforeLoad({ params: { entryId }, context }) {
    const { data } = await client.GET('/vault/{entryId}', { params: { path: { entryId } } })
    if (!data) throw notFound()
    const owner = addressOf(data.ownerId, context.account)
    throw redirect({ to: '/w/$owner', params: { owner }, replace: true })
  },
})

const ofOwner = createRoute({
  getParentRoute: () => signedIn,
  path: '/w/$owner',
  async beforeLoad({ params: { owner }, context }) {
    const workspaces = await queries.ensureQueryData(workspacesQuery)
    if (owner === own && homeOf(context.account) !== own) throw notFound()
    if (owner !== own && !workspaces.some(({ id }) => id === owner)) throw notFound()
  },
  component: Shell,
  notFoundComponent: NotFoundPage,
})

const home = createRoute({
  getParentRoute: () => ofOwner,
  path: '/',
  staticData: { title: 'Home' },
  component: lazyRouteComponent(() => import('./screens/home/Home.tsx'), 'Page'),
})
const runs = createRoute({
  getParentRoute: () => ofOwner,
  path: '/runs',
  staticData: { title: 'Runs' },
  validateSearch: readRunFilters,
  component: lazyRouteComponent(() => import('./screens/runs/Runs.tsx'), 'Page'),
})
const run = createRoute({
  getParentRoute: () => ofOwner,
  path: '/runs/$runId',
  staticData: { title: 'Run' },
  component: lazyRouteComponent(() => import('./screens/runs/Run.tsx'), 'Page'),
})
const compare = createRoute({
  getParentRoute: () => ofOwner,
  path: '/runs/$runId/beside/$otherId',
  staticData: { title: 'Two runs' },
  component: lazyRouteComponent(() => import('./screens/runs/Compare.tsx'), 'Page'),
})
const approvals = createRoute({
  getParentRoute: () => ofOwner,
  path: '/approvals',
  staticData: { title: 'Approvals' },
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('./screens/approvals/Inbox.tsx'), 'Page'),
})
const start = createRoute({
  getParentRoute: () => ofOwner,
  path: '/start',
  staticData: { title: 'Start from a template' },
  component: lazyRouteComponent(() => import('./screens/start/Start.tsx'), 'Page'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    register,
    forgot,
    terms,
    first,
    verify,
    reset,
    invitation,
    signedIn.addChildren([
      index,
      mailedRun,
      mailedApproval,
      mailedAgent,
      mailedSite,
      ofOwner.addChildren([home, runs, run, compare, approvals, start]),
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  defaultPendingComponent: Pending,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The name of the page, in the tab and for the announcement of a navigation. */
    title?: string
  }
}
