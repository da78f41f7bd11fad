import type { Request } from './client.ts'
import type { Code } from './codes.ts'
import type { Things } from './owned-things.ts'

/** Lists of an account's things, each with the kind of its items. */
export const lists: Record<string, keyof Things> = {
  '/agents?limit=100': 'agent',
  '/runs?limit=100': 'run',
  '/vault?limit=100': 'entry',
  '/sessions?limit=100': 'session',
  '/approvals?limit=100': 'approval',
  '/notifications?limit=100': 'notification',
  '/billing/ledger?limit=100': 'ledgerEntry',
  '/billing/payments?limit=100': 'payment',
  '/billing/payment-methods': 'card',
  '/auth/api-keys?limit=100': 'apiKey',
  '/auth/logins?limit=100': 'login',
  '/workspaces?limit=100': 'workspace',
  '/audit?limit=100': 'agent',
}

/** Filters that name another account's thing. */
export const foreignFilters = ({ agent, session }: Things): string[] => [
  `/runs?agentId=${agent}`,
  `/approvals?agentId=${agent}`,
  `/approvals?sessionId=${session}`,
  `/audit?subjectId=${agent}`,
]

/** Readable lists of a workspace, or of an owner named instead of it. */
const ofOwners = [
  '/agents',
  '/runs',
  '/vault',
  '/sessions',
  '/approvals',
  '/notifications',
  '/billing',
  '/billing/ledger',
  '/auth/api-keys',
  '/audit',
]

/** Requests about another account's things, by the expected code, as if the thing did not exist. */
export const foreignRequests = (things: Things): Partial<Record<Code, Request[]>> => ({
  AGENT_NOT_FOUND: [...aboutAgent(things.agent), ...aboutAgent(things.colleague), moveOf({ agentIds: [things.agent] })],
  RUN_NOT_FOUND: aboutRun(things.run),
  SESSION_NOT_FOUND: [{ method: 'DELETE', url: `/sessions/${things.session}` }],
  WORKSPACE_NOT_FOUND: aboutWorkspace(things.workspace),
  NOT_FOUND: [
    ...aboutEntry(things.entry),
    moveOf({ entryIds: [things.entry] }),
    { url: `/approvals/${things.approval}` },
    { method: 'POST', url: `/approvals/${things.approval}`, body: { decision: 'approve' } },
    { method: 'PATCH', url: `/notifications/${things.notification}`, body: { read: true } },
    { method: 'DELETE', url: `/auth/api-keys/${things.apiKey}` },
    { method: 'DELETE', url: `/auth/logins/${things.login}` },
    ...(things.card === null ? [] : [{ method: 'DELETE' as const, url: `/billing/payment-methods/${things.card}` }]),
  ],
})

const get = (path: string, names: readonly string[]): Request[] => names.map((name) => ({ url: `${path}${name}` }))
const post = (path: string, names: readonly string[]): Request[] =>
  names.map((name) => ({ method: 'POST', url: `${path}${name}` }))

const moveOf = (body: object): Request => ({ method: 'POST', url: '/moves', body })

function aboutAgent(id: string): Request[] {
  const url = `/agents/${id}`
  return [
    ...get(url, ['', '/runs', '/callbacks', '/why', '/schedule', '/fires', '/statements/2026-01']),
    { method: 'PATCH', url, body: { name: 'Mine' } },
    { method: 'POST', url: `${url}/runs`, body: {} },
    { method: 'POST', url: `${url}/rotate-secret`, body: {} },
    ...post(url, ['/rotate-callback-secret', '/pause', '/resume']),
    { method: 'DELETE', url },
  ]
}

const aboutRun = (id: string): Request[] => [
  ...get(`/runs/${id}`, ['', '/events', '/why', '/statement', '/callback']),
  ...post(`/runs/${id}`, ['/cancel', '/skip', '/replay', '/callback/retry']),
]

function aboutEntry(id: string): Request[] {
  const url = `/vault/${id}`
  return [
    ...get(url, ['', '/tools', '/calls', '/refreshes', '/manifest-changes']),
    { method: 'PATCH', url, body: { token: 'mine' } },
    { method: 'POST', url: `${url}/tools/search_things/call`, body: { query: 'a' } },
    ...post(url, ['/refresh-manifest']),
    { method: 'DELETE', url },
  ]
}

/** Also for the id of a user, which is not a workspace. */
export const ofOwner = (id: string): Request[] => ofOwners.map((list) => ({ url: `${list}?workspaceId=${id}` }))

function aboutWorkspace(id: string): Request[] {
  const url = `/workspaces/${id}`
  const agent = { name: 'Mine', systemPrompt: 'Report.', trigger: 'manual', workspaceId: id }
  return [
    ...get(url, ['', '/members', '/invitations', '/sign-in', '/export']),
    ...ofOwner(id),
    { method: 'PATCH', url, body: { name: 'Mine' } },
    { method: 'POST', url: `${url}/invitations`, body: { email: 'nobody@example.com', role: 'viewer' } },
    { method: 'POST', url: '/agents', body: agent },
    { method: 'POST', url: '/sessions', body: { workspaceId: id } },
    { method: 'POST', url: '/moves', body: { workspaceId: id } },
    { method: 'DELETE', url },
  ]
}
