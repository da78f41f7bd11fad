import * as approvals from '../../api/approvals.ts'
import { newId } from '../../src/ids.ts'
import { call } from './client.ts'
import { eventually } from './eventually.ts'
import { agentOf, type Person } from './people.ts'
import type { Platform } from './platform.ts'
import type { Scripts } from './runs.ts'

/** An agent that follows the script. Its owner must approve calls of these tools. */
export const askingAgent = (
  { someone, vaultEntryId }: Pick<Scripts, 'someone' | 'vaultEntryId'>,
  systemPrompt: string,
  askFirst = ['slow_once'],
) => agentOf(someone, { systemPrompt, sites: [{ vaultEntryId, askFirst }] })

/** A person's approvals, newest first. */
export const approvalsOf = async (someone: Person, query: Record<string, string> = {}) =>
  (await call(someone, approvals.listApprovals, { query })).body.items

/** Waits until a person has this many pending approvals, and returns them, oldest first. */
export const asked = (someone: Person, count = 1, seconds = 45) =>
  eventually(seconds, `${count} approvals are pending`, async () => {
    const pending = await approvalsOf(someone, { status: 'pending', limit: '100' })
    return pending.length === count ? pending.toReversed() : undefined
  })

/** Decides. The response may be a failure. */
export const decide = (
  someone: Person,
  approvalId: string,
  decision: 'approve' | 'refuse',
  more: { note?: string; argumentsHash?: string; input?: Record<string, unknown> } = {},
) => call(someone, approvals.decideApproval, { params: { approvalId }, body: { decision, ...more } })

/** Creates an approval for a call that does not exist, of a run or an answer that may not exist. */
export async function pendingApproval(
  { services }: Platform,
  {
    ownerId,
    ...of
  }: { ownerId: string } & ({ runId: string; agentId: string } | { sessionId: string; answerId: string }),
) {
  const call = { callId: newId(), siteOrigin: 'https://site.example.com', tool: 'act', arguments: '{"text":"hello"}' }
  const expiresAt = new Date(Date.now() + 3_600_000)
  const [approval] = await services.database.transaction((trx) =>
    services.approvals.request(trx, { ownerId, of, asker: 'A test', calls: [call], expiresAt }),
  )
  if (!approval) throw new Error('nobody was asked')
  return approval
}
