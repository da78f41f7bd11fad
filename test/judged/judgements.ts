import type { Proof, State } from './states.ts'

/** Moments of one monotonic clock, in milliseconds. */
export interface Span {
  from: number
  until: number
}

/** A state of an agent, from the sending of the change that made it to the answer of the change that ended it. */
export interface Stretch extends Span {
  state: State
}

/** A delivery, from its sending to its answer. */
export interface Sent extends Span {
  number: number
  agentId: string
  secret: string
  /** The proofs that it carries, made with its secret. */
  proofs: readonly Proof[]
  hasLabel: boolean
  /** `accepted`, or the code of the refusal. */
  outcome: string
  receipt?: { runId: string; sequence: number }
}

/** A run on record, with the key of its delivery. */
export interface Recorded {
  id: string
  agentId: string
  ownerId: string
  sequence: number
  key: string | null
}

export const keyOf = ({ number }: Pick<Sent, 'number'>): string => `delivery-${number}`

/** Every outcome that the state allows at some moment of the span. */
export function outcomesOf(state: State, sent: Pick<Sent, 'secret' | 'proofs' | 'hasLabel'>, span: Span): string[] {
  if (!state.receives) return ['AGENT_NOT_FOUND']
  const outcomes: string[] = []
  const { maybeGood, maybeBad } = proofOf(state, sent, span)
  if (maybeBad) outcomes.push('WEBHOOK_SECRET_INVALID')
  if (maybeGood) outcomes.push(afterProof(state, sent))
  return outcomes
}

function proofOf(
  { proof, secret, former }: State,
  sent: Pick<Sent, 'secret' | 'proofs'>,
  { from, until }: Span,
): { maybeGood: boolean; maybeBad: boolean } {
  const proves = sent.proofs.includes(proof)
  if (!proves || sent.secret === secret) return { maybeGood: proves, maybeBad: !proves }
  if (former?.secret !== sent.secret) return { maybeGood: false, maybeBad: true }
  return { maybeGood: from <= former.endsTo, maybeBad: until >= former.endsFrom }
}

function afterProof({ refusal, needsLabel, canPay }: State, { hasLabel }: Pick<Sent, 'hasLabel'>): string {
  if (refusal !== null) return refusal
  if (needsLabel && !hasLabel) return 'WEBHOOK_PAYLOAD_INVALID'
  return canPay ? 'accepted' : 'NO_CREDITS'
}

/** The stretches that were in force at some moment of a delivery. */
export const inForce = (stretches: readonly Stretch[], { from, until }: Span): Stretch[] =>
  stretches.filter((stretch) => stretch.from <= until && stretch.until >= from)

/**
 * Deliveries whose outcome no state of their agent explains that was in force between sending and answer. An accepted
 * delivery also needs the owner of that state on record.
 */
export function misjudged(
  deliveries: readonly Sent[],
  states: ReadonlyMap<string, readonly Stretch[]>,
  owners: ReadonlyMap<string, string>,
): string[] {
  return deliveries.flatMap((sent) => {
    const possible = inForce(states.get(sent.agentId) ?? [], sent)
    const isExplained = possible.some(
      ({ state, from, until }) =>
        outcomesOf(state, sent, { from: Math.max(from, sent.from), until: Math.min(until, sent.until) }).includes(
          sent.outcome,
        ) &&
        (sent.receipt === undefined || owners.get(sent.receipt.runId) === state.ownerId),
    )
    return isExplained ? [] : [inWords(sent, possible)]
  })
}

const inWords = (sent: Sent, possible: readonly Stretch[]): string => {
  const allowed = possible.map(({ state, from, until }) => {
    const span = `${(from - sent.from).toFixed(1)} to ${(until - sent.from).toFixed(1)} ms`
    return `${outcomesOf(state, sent, sent).join(' or ')} of ${state.ownerId} (${span})`
  })
  const took = (sent.until - sent.from).toFixed(1)
  return `delivery ${sent.number} to ${sent.agentId}: ${sent.outcome} after ${took} ms, allowed: ${allowed.join(', ')}`
}

/** Whether every accepted delivery is on record exactly once, nothing else is, and sequences have no gap. */
export function contradictions(deliveries: readonly Sent[], runs: readonly Recorded[]): string[] {
  const accepted = new Map(deliveries.filter(({ receipt }) => receipt).map((sent) => [keyOf(sent), sent]))
  const problems: string[] = []
  const seen = new Set<string>()
  for (const { id, agentId, sequence, key } of runs) {
    const sent = key === null ? undefined : accepted.get(key)
    const isSame = sent?.agentId === agentId && sent.receipt?.runId === id && sent.receipt.sequence === sequence
    if (!isSame) problems.push(`run ${id} (${key}) has no accepted delivery like it`)
    if (key !== null && seen.has(key)) problems.push(`${key} is on record twice`)
    if (key !== null) seen.add(key)
  }
  for (const key of accepted.keys()) if (!seen.has(key)) problems.push(`${key} was accepted and is not on record`)
  return [...problems, ...gaps(runs), ...disorder([...accepted.values()])]
}

function gaps(runs: readonly Recorded[]): string[] {
  return [...Map.groupBy(runs, ({ agentId }) => agentId)].flatMap(([agentId, own]) => {
    const sequences = own.map(({ sequence }) => sequence).toSorted((one, other) => one - other)
    const at = sequences.findIndex((sequence, index) => sequence !== index + 1)
    return at === -1 ? [] : [`the sequences of ${agentId} are not 1 to ${own.length}, from ${at + 1} on`]
  })
}

/** What was answered before another was sent has the lower sequence. */
function disorder(accepted: readonly Sent[]): string[] {
  return [...Map.groupBy(accepted, ({ agentId }) => agentId).values()].flatMap((own) => {
    const inOrder = own.toSorted((one, other) => (one.receipt?.sequence ?? 0) - (other.receipt?.sequence ?? 0))
    let latest = -Infinity
    return inOrder.flatMap((sent) => {
      const isLate = sent.until < latest
      latest = Math.max(latest, sent.from)
      return isLate ? [`${keyOf(sent)} has too high a sequence`] : []
    })
  })
}
