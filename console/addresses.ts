import type { RunFilters } from './lists/run-filters.ts'

/** Every address of the console, for links and for `navigate`. `owner` is `me` or the id of a workspace. */
export const to = {
  home: (owner: string) => ({ to: '/w/$owner', params: { owner } }) as const,
  runs: (owner: string, search: RunFilters = {}) => ({ to: '/w/$owner/runs', params: { owner }, search }) as const,
  run: (owner: string, runId: string) => ({ to: '/w/$owner/runs/$runId', params: { owner, runId } }) as const,
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
  start: (owner: string) => ({ to: '/w/$owner/start', params: { owner } }) as const,
  /** The home page of the person who is signed in. */
  index: () => ({ to: '/' }) as const,
  forgot: () => ({ to: '/forgot' }) as const,
  verify: () => ({ to: '/verify' }) as const,
  register: (from?: string) => ({ to: '/register', search: { from } }) as const,
  signIn: (from?: string) => ({ to: '/sign-in', search: { from } }) as const,
}
