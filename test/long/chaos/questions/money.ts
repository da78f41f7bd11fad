import type { Evidence } from '../evidence.ts'
import type { EntryRow, PaymentRow } from '../rows.ts'
import { repeats } from './counting.ts'

export const findWrongMoney = (evidence: Evidence): string[] => [
  ...evidence.contradictions,
  ...wrongLedger(evidence),
  ...wrongPayments(evidence),
]

function wrongLedger({ accounts, entries, holds, runs, answers, steps }: Evidence): string[] {
  const sums = new Map<string, number>()
  for (const { ownerId, credits } of entries) sums.set(ownerId, (sums.get(ownerId) ?? 0) + credits)
  const open = new Set([...runs, ...answers].filter(({ endedAt }) => endedAt === null).map(({ id }) => id))
  const charged = Map.groupBy(entries.filter(isStep), subjectStepOf)
  return [
    ...accounts
      .filter(({ ownerId, balance }) => (sums.get(ownerId) ?? 0) !== balance)
      .map(({ ownerId, balance }) => `${ownerId} has ${balance} credits, and entries of ${sums.get(ownerId) ?? 0}`),
    ...holds.filter((id) => !open.has(id)).map((id) => `credits are held for ${id}, which has ended`),
    ...[...charged].filter(([, own]) => own.length > 1).map(([of]) => `the step ${of} was charged twice`),
    ...steps
      .filter(({ subjectId, step, credits }) => credits > 0 && !charged.has(`${subjectId} ${step}`))
      .map(({ subjectId, step }) => `the step ${subjectId} ${step} was not charged`),
  ]
}

const isStep = ({ kind, attempt }: EntryRow): boolean => kind === 'step' || (kind === 'chat_step' && attempt === null)
const subjectStepOf = ({ runId, answerId, step }: EntryRow): string => `${runId ?? answerId} ${step}`

/** Each payment has one charge at the provider, and each purchase one entry of its credits; and the other way round. */
function wrongPayments({ payments, charges, entries }: Evidence): string[] {
  const granted = Map.groupBy(entries.filter(isPurchase), ({ ownerId, paymentId }) => `${ownerId} ${paymentId}`)
  const charged = Map.groupBy(charges, ({ ownerId, reference }) => `${ownerId} ${reference}`)
  const known = new Set(payments.map(({ ownerId, id }) => `${ownerId} ${id}`))
  const references = new Set(payments.map(({ ownerId, reference }) => `${ownerId} ${reference}`))
  return [
    ...payments.flatMap((payment) => problemsOf(payment, granted, charged)),
    ...[...charged.keys()].filter((of) => !references.has(of)).map((of) => `the charge ${of} has no payment`),
    ...[...granted.keys()].filter((of) => !known.has(of)).map((of) => `credits were granted for ${of}, no payment`),
    ...repeats(
      charges.filter(({ key }) => key !== null),
      ({ ownerId, key }) => `${ownerId} ${key}`,
    ).map((of) => `the provider was asked for ${of}, and charged it twice`),
    ...repeats(
      payments.filter(({ requestKey }) => requestKey !== null),
      ({ ownerId, requestKey }) => `${ownerId} ${requestKey}`,
    ).map((of) => `the purchase ${of} was paid twice`),
  ]
}

const isPurchase = ({ kind }: EntryRow): boolean => kind === 'purchase' || kind === 'top_up'

type Named<T> = Map<string, T[]>

function problemsOf(payment: PaymentRow, granted: Named<EntryRow>, charged: Named<Evidence['charges'][number]>) {
  const { ownerId, id, status, reference, credits, cents, purpose } = payment
  const grants = granted.get(`${ownerId} ${id}`) ?? []
  const taken = charged.get(`${ownerId} ${reference}`) ?? []
  const wanted = purpose === 'subscription' ? [] : [credits]
  return [
    ...(status === 'paid' ? [] : [`the payment ${id} is ${status}`]),
    ...(isSame(
      grants.map((one) => one.credits),
      wanted,
    )
      ? []
      : [`the payment ${id} has ${grants.length} entries`]),
    ...(isSame(
      taken.map((one) => one.cents),
      [cents],
    )
      ? []
      : [`the payment ${id} has ${taken.length} charges`]),
  ]
}

const isSame = (one: (number | null)[], other: (number | null)[]): boolean => one.join() === other.join()
