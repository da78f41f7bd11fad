import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import type { Owner } from '../../session/workspace.ts'

type Need = Api['Need']

type Address = ReturnType<(typeof to)['run' | 'runs' | 'approvals']>

/** What the button beside a need does. */
export type NeedAction =
  | { does: 'resume'; label: string; agentId: string }
  | { does: 'reconnect'; label: string; vaultEntryId: string }
  | { does: 'open'; label: string; address: Address }
  | { does: 'read'; label: string; href: string }

/** The most direct action that the reader's role may take. Others see the page that explains the need best. */
export function needAction(need: Need, owner: Pick<Owner, 'address' | 'may'>): NeedAction {
  return directAction(need, owner) ?? lookAt(need, owner.address)
}

function directAction(
  { cause, agentId, vaultEntryId, approvalId }: Need,
  { address, may }: Pick<Owner, 'address' | 'may'>,
): NeedAction | undefined {
  if (approvalId !== null) return open(may('use') ? 'Review' : 'See the approval', to.approvals(address, approvalId))
  if (!may('build')) return undefined
  if (cause === 'paused' && agentId !== null) return { does: 'resume', label: 'Resume agent', agentId }
  if (vaultEntryId !== null) return { does: 'reconnect', label: 'Reconnect', vaultEntryId }
  return undefined
}

function lookAt({ kind, cause, agentId, runId }: Need, owner: string): NeedAction {
  const ofAgent = agentId === null ? {} : { agentId }
  switch (kind) {
    case 'failing':
      return open('See failed runs', to.runs(owner, { ...ofAgent, status: 'failed' }))
    case 'silent':
      return open('See deliveries', to.runs(owner, { ...ofAgent, trigger: 'webhook' }))
    case 'model':
    case 'credential':
      return open('See waiting runs', to.runs(owner, { status: 'waiting' }))
    default:
      if (isUnpaid(cause)) return { does: 'read', label: 'What to do', href: '/docs/how-to/caps-and-credits' }
      if (runId !== null) return open('Open run', to.run(owner, runId))
      return open('See runs', to.runs(owner, ofAgent))
  }
}

const isUnpaid = (cause: Need['cause']): boolean => cause === 'credits' || cause === 'tier' || cause === 'past_due'

const open = (label: string, address: Address): NeedAction => ({ does: 'open', label, address })
