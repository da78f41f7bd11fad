import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ofOwner } from './gates.tsx'

const agents = createRoute({
  getParentRoute: () => ofOwner,
  path: '/agents',
  staticData: { title: 'Agents' },
  component: lazyRouteComponent(() => import('../screens/agents/Agents.tsx'), 'Page'),
})
const createAgent = createRoute({
  getParentRoute: () => ofOwner,
  path: '/agents/create',
  staticData: { title: 'Create an agent' },
  component: lazyRouteComponent(() => import('../screens/agents/CreateAgent.tsx'), 'Page'),
})
/** The heading and the tabs of an agent, around each of its pages. */
const agent = createRoute({
  getParentRoute: () => ofOwner,
  path: '/agents/$agentId',
  staticData: { title: 'Agent' },
  component: lazyRouteComponent(() => import('../screens/agents/Agent.tsx'), 'Page'),
})
const agentOverview = createRoute({
  getParentRoute: () => agent,
  path: '/',
  staticData: { title: 'Agent' },
  component: lazyRouteComponent(() => import('../screens/agents/Overview.tsx'), 'Page'),
})
const agentQueue = createRoute({
  getParentRoute: () => agent,
  path: '/queue',
  staticData: { title: 'Queue' },
  component: lazyRouteComponent(() => import('../screens/agents/Queue.tsx'), 'Page'),
})
const agentSettings = createRoute({
  getParentRoute: () => agent,
  path: '/settings',
  staticData: { title: 'Settings' },
  component: lazyRouteComponent(() => import('../screens/agents/Settings.tsx'), 'Page'),
})
const agentSchedule = createRoute({
  getParentRoute: () => agent,
  path: '/schedule',
  staticData: { title: 'Schedule' },
  component: lazyRouteComponent(() => import('../screens/agents/Schedule.tsx'), 'Page'),
})
const agentConnect = createRoute({
  getParentRoute: () => agent,
  path: '/connect',
  staticData: { title: 'Connect' },
  component: lazyRouteComponent(() => import('../screens/agents/Connect.tsx'), 'Page'),
})
const agentTest = createRoute({
  getParentRoute: () => agent,
  path: '/test',
  staticData: { title: 'Test delivery' },
  component: lazyRouteComponent(() => import('../screens/agents/TestDelivery.tsx'), 'Page'),
})
const agentRefused = createRoute({
  getParentRoute: () => agent,
  path: '/refused',
  staticData: { title: 'Refused deliveries' },
  component: lazyRouteComponent(() => import('../screens/deliveries/Refused.tsx'), 'Page'),
})
const agentVersions = createRoute({
  getParentRoute: () => agent,
  path: '/versions',
  staticData: { title: 'Versions' },
  component: lazyRouteComponent(() => import('../screens/agents/Versions.tsx'), 'Page'),
})
const agentVersion = createRoute({
  getParentRoute: () => agent,
  path: '/versions/$version',
  staticData: { title: 'Version' },
  component: lazyRouteComponent(() => import('../screens/agents/Version.tsx'), 'Page'),
})

/** The pages of agents. */
export const ofAgents = [
  agents,
  createAgent,
  agent.addChildren([
    agentOverview,
    agentQueue,
    agentSettings,
    agentSchedule,
    agentConnect,
    agentTest,
    agentRefused,
    agentVersions,
    agentVersion,
  ]),
] as const
