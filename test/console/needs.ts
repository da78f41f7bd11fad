import type { Api } from '../../console/api/client.ts'

/** A need with the given parts. */
export const needOf = (parts: Partial<Api['Need']>): Api['Need'] => ({
  kind: 'blocked',
  cause: null,
  since: '2026-11-27T06:00:00.000Z',
  until: null,
  message: 'Something waits.',
  action: 'Do something.',
  agentId: null,
  agentName: null,
  runId: null,
  approvalId: null,
  vaultEntryId: null,
  site: null,
  model: null,
  count: 1,
  ...parts,
})
