import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queries } from './api/queries.ts'
import { Pending } from './parts/pages.tsx'
import { readRunFilters } from './lists/run-filters.ts'
import { readInboxSearch } from './screens/approvals/inbox.ts'
import { readConnectSearch } from './screens/sites/connect/connect-search.ts'
import { accountQuery } from './session/account.ts'
import { keepToken, keptToken, tokenIn } from './session/link-token.ts'
import { ofOwner, page, root, signedIn } from './routes/gates.tsx'
import { ofAgents } from './routes/agents.tsx'
import { withoutOwner } from './routes/without-owner.tsx'

/** Every screen: its address, what its address may say, its title and its code, which is loaded when it is opened. */
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

const home = page('/', 'Home', () => import('./screens/home/Home.tsx'))
const runs = createRoute({
  getParentRoute: () => ofOwner,
  path: '/runs',
  staticData: { title: 'Runs' },
  validateSearch: readRunFilters,
  component: lazyRouteComponent(() => import('./screens/runs/Runs.tsx'), 'Page'),
})
const run = page('/runs/$runId', 'Run', () => import('./screens/runs/Run.tsx'))
const delivery = page('/runs/$runId/delivery', 'Delivery', () => import('./screens/deliveries/Delivery.tsx'))
const compare = page('/runs/$runId/beside/$otherId', 'Two runs', () => import('./screens/runs/Compare.tsx'))
const approvals = createRoute({
  getParentRoute: () => ofOwner,
  path: '/approvals',
  staticData: { title: 'Approvals' },
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('./screens/approvals/Inbox.tsx'), 'Page'),
})
const start = page('/start', 'Start from a template', () => import('./screens/start/Start.tsx'))

const sites = page('/sites', 'Sites', () => import('./screens/sites/Sites.tsx'))
const connect = createRoute({
  getParentRoute: () => ofOwner,
  path: '/sites/connect',
  staticData: { title: 'Connect a site' },
  validateSearch: readConnectSearch,
  component: lazyRouteComponent(() => import('./screens/sites/connect/Connect.tsx'), 'Page'),
})
const site = page('/sites/$entryId', 'Site', () => import('./screens/sites/Site.tsx'))
const changes = page('/sites/$entryId/changes', 'Changes', () => import('./screens/sites/changes/Changes.tsx'))
const calls = page('/sites/$entryId/calls', 'Calls', () => import('./screens/sites/calls/Calls.tsx'))
const call = page('/sites/$entryId/calls/$callId', 'Call', () => import('./screens/sites/calls/Call.tsx'))
const tool = createRoute({
  getParentRoute: () => ofOwner,
  path: '/sites/$entryId/tools/$toolName',
  staticData: { title: 'Tool' },
  validateSearch: readFrom,
  component: lazyRouteComponent(() => import('./screens/sites/calls/Tool.tsx'), 'Page'),
})

const ofSites = [sites, connect, site, changes, calls, call, tool] as const

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
      ...withoutOwner,
      ofOwner.addChildren([home, runs, run, delivery, compare, approvals, start, ...ofAgents, ...ofSites]),
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  // A page is shown as soon as it can be. By default, what stands in for it stays for half a second.
  defaultPendingMinMs: 0,
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
