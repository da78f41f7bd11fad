import type { Arrival, CallRow, EntryRow, Evidence, Receipt, RefreshRow, RunRow } from './evidence.ts'

/**
 * What a storm must not do, each as a search for what contradicts it. A finding is a sentence for the person who looks
 * for the cause.
 */
const questions = {
  lost: lostDeliveries,
  reordered: reorderedRuns,
  doubled: doubledWork,
  'once repeated': repeatedOnce,
  'grants lost': lostGrants,
  'ledger wrong': wrongLedger,
  'without an end': endless,
  'never seen by the site': unseenCalls,
  'secrets in logs': leakedSecrets,
} as const satisfies Record<string, (evidence: Evidence) => string[]>

export type Question = keyof typeof questions
export type Verdict = Record<Question, string[]>

export const judge = (evidence: Evidence): Verdict =>
  Object.fromEntries(Object.entries(questions).map(([name, search]) => [name, search(evidence)])) as Verdict

/** A 202 without a run, or with another run than the record has under its key. */
function lostDeliveries({ receipts, runs }: Evidence): string[] {
  const known = new Map(runs.map((run) => [run.id, run]))
  return receipts.flatMap(({ runId, agentId, key, sequence }) => {
    const run = known.get(runId)
    if (!run) return [`the delivery ${key} was accepted as the run ${runId}, which does not exist`]
    const fits = run.agentId === agentId && run.sequence === sequence && run.key === key
    return fits ? [] : [`the receipt of the delivery ${key} does not say what its run ${runId} does`]
  })
}

const byAgent = (runs: RunRow[]): RunRow[][] =>
  [...Map.groupBy(runs, ({ agentId }) => agentId).values()].map((own) =>
    own.toSorted((one, other) => one.sequence - other.sequence),
  )

function reorderedRuns({ runs, receipts, calls, arrivals, slowRoads }: Evidence): string[] {
  const first = firstArrivals(arrivals)
  const sent = Map.groupBy(calls, ({ subjectId }) => subjectId)
  const isHeld = ({ status, startedAt }: CallRow, at: number): boolean =>
    status !== 'succeeded' && slowRoads.some(({ from, until }) => from <= at && until >= (startedAt ?? at))
  const seen = ({ id }: RunRow): number[] =>
    (sent.get(id) ?? []).flatMap((call) => {
      const at = first.get(call.key)
      // A call without an answer may have been on its way for as long as its road was closed.
      return at === undefined || isHeld(call, at) ? [] : [at]
    })
  return [
    ...byAgent(runs).flatMap((own) => own.slice(1).flatMap((run, index) => inTurn(own[index] ?? run, run))),
    ...byAgent(runs).flatMap((own) => inOrderAtSites(own, seen)),
    ...[...Map.groupBy(receipts, ({ agentId }) => agentId).values()].flatMap(inOrderOfArrival),
  ]
}

function inTurn(before: RunRow, run: RunRow): string[] {
  if (run.startedAt === null) return []
  if (run.sequence !== before.sequence + 1)
    return [`the run ${run.id} is number ${run.sequence} after ${before.sequence}`]
  // A run that was cancelled or skipped while it was queued never started.
  return before.endedAt === null || run.startedAt < before.endedAt
    ? [`the run ${run.id} began before ${before.id} had ended`]
    : []
}

function inOrderAtSites(own: RunRow[], seen: (run: RunRow) => number[]): string[] {
  let latest = { at: 0, id: '' }
  return own.flatMap((run) => {
    const arrived = seen(run)
    const before = latest
    if (arrived.length > 0 && Math.max(...arrived) > latest.at) latest = { at: Math.max(...arrived), id: run.id }
    return arrived.length > 0 && Math.min(...arrived) < before.at
      ? [`a site saw a call of the run ${run.id} before one of ${before.id}`]
      : []
  })
}

/** A delivery that was sent after the receipt of another has the higher number. */
function inOrderOfArrival(receipts: Receipt[]): string[] {
  let latest = 0
  return receipts
    .toSorted((one, other) => one.sequence - other.sequence)
    .flatMap(({ key, from, until }) => {
      const isEarly = until < latest
      latest = Math.max(latest, from)
      return isEarly ? [`the delivery ${key} has a higher number than one that was sent after its receipt`] : []
    })
}

function doubledWork({ runs, receipts, answers, calls, steps }: Evidence): string[] {
  const keyed = runs.filter(({ key }) => key !== null)
  return [
    ...repeats(keyed, ({ agentId, key }) => `${agentId} ${key}`).map((of) => `the delivery ${of} has two runs`),
    ...repeats(distinct(receipts), ({ agentId, key }) => `${agentId} ${key}`).map((of) => `${of} has two receipts`),
    ...repeats(
      // One whose reader disconnected or that failed is answered anew when it is sent again.
      answers.filter(({ clientId, status }) => clientId !== null && status !== 'failed'),
      ({ clientId }) => String(clientId),
    ).map((id) => `the message ${id} has two answers`),
    ...repeats(calls, ({ id }) => id).map((id) => `the call ${id} is recorded twice`),
    ...repeats(calls, ({ key }) => key).map((key) => `two calls were sent as ${key}`),
    ...repeats(steps, ({ subjectId, step }) => `${subjectId} ${step}`).map((of) => `the step ${of} is recorded twice`),
  ]
}

/** One receipt for each run that a sender was told. */
const distinct = (receipts: Receipt[]): Receipt[] => [
  ...new Map(receipts.map((receipt) => [`${receipt.agentId} ${receipt.key} ${receipt.runId}`, receipt])).values(),
]

function repeatedOnce({ calls, arrivals }: Evidence): string[] {
  const times = countOf(arrivals)
  return calls
    .filter(({ effect }) => effect === 'once')
    .filter(({ key }) => (times.get(key) ?? 0) > 1)
    .map(({ id, key, tool }) => `the call ${id} of ${tool} came ${times.get(key)} times, as ${key}`)
}

/**
 * A site that rotates its refresh tokens uses one up before anybody has its answer. A connection whose refresh was cut off
 * there, by a kill or a cut, is lost to everyone. Any other must live.
 */
function lostGrants({ lostGrants: lost, refreshes }: Evidence): string[] {
  return lost
    .filter((grant) => !refreshes.some((refresh) => isSame(refresh, grant) && isUnheard(refresh)))
    .map(({ entryId }) => `the connection ${entryId} needs a sign-in, although each of its refreshes was answered`)
}

type Generation = Pick<RefreshRow, 'entryId' | 'generation'>
const isSame = (one: Generation, other: Generation): boolean =>
  one.entryId === other.entryId && one.generation === other.generation

const isUnheard = ({ outcome }: RefreshRow): boolean =>
  outcome === null || outcome === 'ambiguous' || outcome === 'abandoned' || outcome === 'failed'

function wrongLedger({ accounts, entries, holds, runs, answers, steps, contradictions }: Evidence): string[] {
  const sums = new Map<string, number>()
  for (const { ownerId, credits } of entries) sums.set(ownerId, (sums.get(ownerId) ?? 0) + credits)
  const open = new Set([...runs, ...answers].filter(({ endedAt }) => endedAt === null).map(({ id }) => id))
  const charged = Map.groupBy(entries.filter(isStep), subjectStepOf)
  return [
    ...contradictions,
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

function endless({ runs, answers }: Evidence): string[] {
  return [
    ...runs.filter(({ endedAt }) => endedAt === null).map(({ id, status }) => `the run ${id} is ${status}`),
    ...answers.filter(({ endedAt }) => endedAt === null).map(({ id, status }) => `the answer ${id} is ${status}`),
  ]
}

function unseenCalls({ calls, arrivals }: Evidence): string[] {
  const times = countOf(arrivals)
  return calls
    .filter(({ status, key }) => status === 'succeeded' && !times.has(key))
    .map(({ id, key, tool }) => `the call ${id} of ${tool} succeeded, and its site never saw ${key}`)
}

/** The finding does not contain the secret. */
function leakedSecrets({ logs, secrets }: Evidence): string[] {
  return logs.flatMap(({ name, text }) =>
    secrets
      .filter(({ value }) => text.includes(value))
      .map((secret) => `the log of ${name} contains a secret: ${secret.name}`),
  )
}

function firstArrivals(arrivals: Arrival[]): Map<string, number> {
  const first = new Map<string, number>()
  for (const { key, at } of arrivals) if (!first.has(key)) first.set(key, at)
  return first
}

function countOf(arrivals: Arrival[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const { key } of arrivals) times.set(key, (times.get(key) ?? 0) + 1)
  return times
}

const repeats = <T>(items: T[], name: (item: T) => string): string[] =>
  [...Map.groupBy(items, name)].filter(([, own]) => own.length > 1).map(([of]) => of)
