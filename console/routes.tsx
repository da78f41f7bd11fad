import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queries } from './api/queries.ts'
import { Pending } from './parts/pages.tsx'
import { readRunFilters } from './lists/run-filters.ts'
import { readInboxSearch } from './screens/approvals/inbox.ts'
import { accountQuery } from './session/account.ts'
import { keepToken, keptToken, tokenIn } from './session/link-token.ts'
import { ofOwner, root, signedIn } from './routes/gates.tsx'
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
const agents = createRoute({
  getParentRoute: () => ofOwner,
  path: '/agents',
  staticData: { title: 'Agents' },
  component: lazyRouteComponent(() => import('./screens/agents/Agents.tsx'), 'Page'),
})
const createAgent = createRoute({
  getParentRoute: () => ofOwner,
  path: '/agents/create',
  staticData: { title: 'Create an agent' },
  component: lazyRouteComponent(() => import('./screens/agents/CreateAgent.tsx'), 'Page'),
})
/** The heading and the tabs of an agent, around each of its pages. */
const agent = createRoute({
  getParentRoute: () => ofOwner,
  path: '/agents/$agentId',
  staticData: { title: 'Agent' },
  component: lazyRouteComponent(() => import('./screens/agents/Agent.tsx'), 'Page'),
})
const agentOverview = createRoute({
  getParentRoute: () => agent,
  path: '/',
  staticData: { title: 'Agent' },
  component: lazyRouteComponent(() => import('./screens/agents/Overview.tsx'), 'Page'),
})
const agentQueue = createRoute({
  getParentRoute: () => agent,
  path: '/queue',
  staticData: { title: 'Queue' },
  component: lazyRouteComponent(() => import('./screens/agents/Queue.tsx'), 'Page'),
})
const agentSettings = createRoute({
  getParentRoute: () => agent,
  path: '/settings',
  staticData: { title: 'Settings' },
  component: lazyRouteComponent(() => import('./screens/agents/Settings.tsx'), 'Page'),
})
const agentSchedule = createRoute({
  getParentRoute: () => agent,
  path: '/schedule',
  staticData: { title: 'Schedule' },
  component: lazyRouteComponent(() => import('./screens/agents/Schedule.tsx'), 'Page'),
})
const agentConnect = createRoute({
  getParentRoute: () => agent,
  path: '/connect',
  staticData: { title: 'Connect' },
  component: lazyRouteComponent(() => import('./screens/agents/Connect.tsx'), 'Page'),
})
const agentVersions = createRoute({
  getParentRoute: () => agent,
  path: '/versions',
  staticData: { title: 'Versions' },
  component: lazyRouteComponent(() => import('./screens/agents/Versions.tsx'), 'Page'),
})
const agentVersion = createRoute({
  getParentRoute: () => agent,
  path: '/versions/$version',
  staticData: { title: 'Version' },
  component: lazyRouteComponent(() => import('./screens/agents/Version.tsx'), 'Page'),
})
const start = createRoute({
  getParentRoute: () => ofOwner,
  path: '/start',
  staticData: { title: 'Start from a template' },
  component: lazyRouteComponent(() => import('./screens/start/Start.tsx'), 'Page'),
})

const tabsOfAgent = [
  agentOverview,
  agentQueue,
  agentSettings,
  agentSchedule,
  agentConnect,
  agentVersions,
  agentVersion,
] as const

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
      ofOwner.addChildren([home, runs, run, compare, approvals, agents, createAgent, agent.addChildren(tabsOfAgent), start]),
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
