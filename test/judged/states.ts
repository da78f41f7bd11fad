/** What decides the outcome of a delivery, as a model of its own: written from docs/understand/order.md. */

export type Proof = 'secret' | 'github'
type Tier = 'free' | 'pro' | 'team'

/** An agent, as the test has made it. */
export interface AgentFacts {
  /** Whether it exists and has the trigger `webhook`. */
  receives: boolean
  proof: Proof
  secret: string
  /** The secret before a rotation with an overlap. Its end lies between two moments. */
  former: { secret: string; endsFrom: number; endsTo: number } | null
  needsLabel: boolean
  isCapped: boolean
  isShared: boolean
}

/** A paying account with one workspace, as the test has made it. */
export interface AccountFacts {
  paidTier: Tier
  givenTier: Tier
  isPastDue: boolean
  isSuspended: boolean
  isClosing: boolean
  isCapped: boolean
  isWorkspaceCapped: boolean
  isTokenless: boolean
  isSpent: boolean
}

export const newAccount = (tiers: Pick<AccountFacts, 'paidTier' | 'givenTier'>): AccountFacts => ({
  ...tiers,
  isPastDue: false,
  isSuspended: false,
  isClosing: false,
  isCapped: false,
  isWorkspaceCapped: false,
  isTokenless: false,
  isSpent: false,
})

/** What one agent's deliveries are judged by. */
export interface State extends Pick<AgentFacts, 'receives' | 'proof' | 'secret' | 'former' | 'needsLabel'> {
  ownerId: string
  /** The code with which the standing of the account refuses every delivery. */
  refusal: string | null
  canPay: boolean
}

export interface Owners {
  userId: string
  workspaceId: string
}

export function stateOf(owners: Owners, account: AccountFacts, agent: AgentFacts): State {
  const { receives, proof, secret, former, needsLabel, isShared } = agent
  const isCapped = agent.isCapped || account.isCapped || (isShared && account.isWorkspaceCapped)
  return {
    receives,
    proof,
    secret,
    former,
    needsLabel,
    ownerId: isShared ? owners.workspaceId : owners.userId,
    refusal: refusalOf(account, isShared),
    canPay: !isCapped && !account.isTokenless && !account.isSpent,
  }
}

function refusalOf({ paidTier, givenTier, isPastDue, ...account }: AccountFacts, isShared: boolean): string | null {
  if (account.isClosing) return 'TIER_REQUIRED'
  if (account.isSuspended) return 'PERMISSION_DENIED'
  const tiers = new Set([paidTier, givenTier])
  if (!tiers.has('team') && (isShared || !tiers.has('pro'))) return 'TIER_REQUIRED'
  return isPastDue ? 'SUBSCRIPTION_PAST_DUE' : null
}
