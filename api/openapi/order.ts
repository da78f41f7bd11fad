import type { AnyRoute } from '../route/route.ts'

/** The tags in the order of the reference: the most common first. */
export const tags: Record<string, string> = {
  agents: 'Agents: their prompts, triggers and sites',
  runs: 'Agent runs and their timelines',
  webhooks: "Deliveries from senders, who need an agent's secret rather than an account.",
  vault: 'Connected sites and their tools',
  schedules: 'Agent schedules and scheduled times',
  templates: 'Templates: agents to create and start with one request',
  approvals: 'Tool calls waiting for approval',
  sessions: 'Chat sessions: which sites and tools a chat can use',
  chat: 'Chat messages and answers',
  models: 'AI models that agents can use',
  callbacks: 'Callbacks: results of runs, sent to your server',
  needs: 'What needs a person in an account or a workspace',
  notifications: 'Notifications for users',
  auth: 'Accounts, sign-in and API keys',
  workspaces: 'Workspaces and their members',
  billing: 'Tiers, payments and credits',
  audit: 'Audit log',
  sites: 'Manifests, for site owners',
  admin: 'Platform administration: users, hosts, workers',
  health: 'Health checks, for operators',
}

/** These operations come first in their tag, before the order by path and method. */
const first = ['register', 'login', 'refresh', 'logout', 'me']

const methods = ['post', 'get', 'put', 'patch', 'delete']

const rank = (names: readonly string[], name: string): number => {
  const place = names.indexOf(name)
  return place === -1 ? names.length : place
}

/** How deep a path is: a collection before its items. */
const depth = ({ path }: AnyRoute): number => path.split('/').length

/**
 * The routes in the order of the reference: by tag, then the collection, its items and everything below them, then
 * create, list or read, update, delete.
 */
export const inOrder = (routes: readonly AnyRoute[]): AnyRoute[] => {
  const names = Object.keys(tags)
  return routes.toSorted(
    (one, other) =>
      rank(names, one.tag) - rank(names, other.tag) ||
      rank(first, one.name) - rank(first, other.name) ||
      depth(one) - depth(other) ||
      one.path.localeCompare(other.path) ||
      rank(methods, one.method) - rank(methods, other.method),
  )
}
