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
  start: (owner: string) => ({ to: '/w/$owner/start', params: { owner } }) as const,
  /** The home page of the person who is signed in. */
  index: () => ({ to: '/' }) as const,
  forgot: () => ({ to: '/forgot' }) as const,
  verify: () => ({ to: '/verify' }) as const,
  register: (from?: string) => ({ to: '/register', search: { from } }) as const,
  signIn: (from?: string) => ({ to: '/sign-in', search: { from } }) as const,
}
