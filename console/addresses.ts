import type { RunFilters } from './lists/run-filters.ts'

/** The tabs of an agent beside its overview. */
export type AgentTab = 'queue' | 'settings' | 'schedule' | 'connect' | 'test' | 'refused' | 'versions'

/** Every address of the console, for links and for `navigate`. `owner` is `me` or the id of a workspace. */
export const to = {
  home: (owner: string) => ({ to: '/w/$owner', params: { owner } }) as const,
  runs: (owner: string, search: RunFilters = {}) => ({ to: '/w/$owner/runs', params: { owner }, search }) as const,
  run: (owner: string, runId: string) => ({ to: '/w/$owner/runs/$runId', params: { owner, runId } }) as const,
  delivery: (owner: string, runId: string) =>
    ({ to: '/w/$owner/runs/$runId/delivery', params: { owner, runId } }) as const,
  compare: (owner: string, runId: string, otherId: string) =>
    ({ to: '/w/$owner/runs/$runId/beside/$otherId', params: { owner, runId, otherId } }) as const,
  approvals: (owner: string, approval?: string, show?: 'decided') =>
    ({ to: '/w/$owner/approvals', params: { owner }, search: { approval, show } }) as const,
  sites: (owner: string) => ({ to: '/w/$owner/sites', params: { owner } }) as const,
  connect: (owner: string, search: { url?: string; entry?: string } = {}) =>
    ({ to: '/w/$owner/sites/connect', params: { owner }, search }) as const,
  site: (owner: string, entryId: string) => ({ to: '/w/$owner/sites/$entryId', params: { owner, entryId } }) as const,
  siteChanges: (owner: string, entryId: string) =>
    ({ to: '/w/$owner/sites/$entryId/changes', params: { owner, entryId } }) as const,
  calls: (owner: string, entryId: string) =>
    ({ to: '/w/$owner/sites/$entryId/calls', params: { owner, entryId } }) as const,
  call: (owner: string, entryId: string, callId: string) =>
    ({ to: '/w/$owner/sites/$entryId/calls/$callId', params: { owner, entryId, callId } }) as const,
  /** `from` is a call whose arguments the page takes. */
  tool: (owner: string, entryId: string, toolName: string, from?: string) =>
    ({
      to: '/w/$owner/sites/$entryId/tools/$toolName',
      params: { owner, entryId, toolName },
      search: { from },
    }) as const,
  agents: (owner: string) => ({ to: '/w/$owner/agents', params: { owner } }) as const,
  createAgent: (owner: string) => ({ to: '/w/$owner/agents/create', params: { owner } }) as const,
  agent: (owner: string, agentId: string) => ({ to: '/w/$owner/agents/$agentId', params: { owner, agentId } }) as const,
  agentTab: <const Tab extends AgentTab>(owner: string, agentId: string, tab: Tab) =>
    ({ to: `/w/$owner/agents/$agentId/${tab}`, params: { owner, agentId } }) as const,
  agentVersion: (owner: string, agentId: string, version: number) =>
    ({ to: '/w/$owner/agents/$agentId/versions/$version', params: { owner, agentId, version: `${version}` } }) as const,
  start: (owner: string) => ({ to: '/w/$owner/start', params: { owner } }) as const,
  /** The home page of the person who is signed in. */
  index: () => ({ to: '/' }) as const,
  apps: () => ({ to: '/apps' }) as const,
  forgot: () => ({ to: '/forgot' }) as const,
  verify: () => ({ to: '/verify' }) as const,
  register: (from?: string) => ({ to: '/register', search: { from } }) as const,
  signIn: (from?: string) => ({ to: '/sign-in', search: { from } }) as const,
}
