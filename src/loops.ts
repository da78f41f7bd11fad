import type { Config } from './config/config.ts'
import { startLoop, type Loop, type SignOfLife } from './loop.ts'
import type { Services } from './services.ts'

export interface LoopDeclaration {
  name: string
  /** In seconds. A loop with 0 is off. */
  every: (config: Config) => number
  where: 'workers' | 'everywhere'
  /** One process at a time runs it. Its lease lasts this many seconds from the start of a round. */
  alone?: (config: Config) => number
  needsTemporal?: true
  round: (services: Services, stopping: AbortSignal) => Promise<void>
}

export const loops = [
  { name: 'clock', every: () => 5, where: 'everywhere', round: ({ followClock }) => followClock() },
  {
    name: 'reconciler',
    every: ({ reconcile }) => reconcile.everySeconds,
    // A cancelled run must end even without workers, and operators must learn what stuck workers leave behind.
    where: 'everywhere',
    round: ({ runs }, stopping) => runs.reconciler.round(stopping),
  },
  {
    name: 'forgotten agents',
    every: ({ reconcile }) => reconcile.everySeconds * 5,
    where: 'everywhere',
    alone: ({ reconcile }) => reconcile.everySeconds * 10 + 5,
    round: ({ forgotten }) => forgotten.mark(),
  },
  {
    name: 'orphans',
    every: ({ reconcile }) => reconcile.everySeconds * 15,
    where: 'everywhere',
    alone: ({ reconcile }) => reconcile.everySeconds * 20 + 5,
    needsTemporal: true,
    round: ({ orphans }) => orphans.end(),
  },
  {
    name: 'schedules',
    every: ({ reconcile }) => reconcile.everySeconds,
    where: 'workers',
    alone: ({ reconcile }) => reconcile.everySeconds * 5,
    round: ({ scheduleSync }) => scheduleSync.round(),
  },
  {
    name: 'callbacks',
    every: () => 2,
    where: 'workers',
    round: ({ deliverCallbacks }, stopping) => deliverCallbacks(stopping),
  },
  // Also without workers: if there is no mail server, an admin reads the mails in the API.
  {
    name: 'password requests',
    every: () => 2,
    where: 'everywhere',
    round: ({ users }) => users.recovery.carryOut(),
  },
  { name: 'mails', every: () => 5, where: 'workers', round: ({ mails }, stopping) => mails.send(stopping) },
  {
    name: 'deletions',
    every: () => 2,
    where: 'workers',
    round: ({ deletions }, stopping) => deletions.round(stopping),
  },
  {
    name: 'stripe events',
    every: () => 60,
    where: 'workers',
    alone: () => 300,
    round: async ({ stripe }, stopping) => stripe?.events.reconcile(stopping),
  },
  { name: 'billing', every: () => 2, where: 'workers', round: ({ sweep }, stopping) => sweep.round(stopping) },
  { name: 'outages', every: () => 1, where: 'everywhere', round: ({ outages }) => outages.round() },
  {
    name: 'silence',
    every: () => 30,
    where: 'workers',
    alone: () => 300,
    round: ({ silence }, stopping) => silence.round(stopping),
  },
  { name: 'manifests', every: () => 15, where: 'workers', round: ({ manifests }) => manifests.checkDue() },
  {
    name: 'revocations',
    every: () => 5,
    where: 'workers',
    round: ({ vault }, stopping) => vault.revocations.makeAttempts(null, stopping),
  },
  {
    name: 'keep-alive',
    every: () => 60,
    where: 'workers',
    alone: () => 300,
    round: ({ vault }, stopping) => vault.refresh.keepAlive(stopping),
  },
  {
    name: 'partitions',
    every: () => 3600,
    where: 'everywhere',
    alone: () => 300,
    round: ({ partitions }) => partitions.ensure(),
  },
  {
    name: 'timelines',
    every: () => 60,
    where: 'workers',
    alone: () => 60,
    round: ({ retention }, stopping) => retention.purgeTimelines(stopping),
  },
  { name: 'stored bytes', every: () => 1, where: 'everywhere', round: ({ billing }) => billing.storedBytes.flush() },
  { name: 'chats', every: () => 2, where: 'everywhere', alone: () => 10, round: ({ chat }) => chat.reconcile() },
  { name: 'lost answers', every: () => 0.5, where: 'everywhere', round: ({ chat }) => chat.takeUpLost() },
  {
    name: 'canary',
    every: ({ canary }) => canary.everySeconds,
    where: 'everywhere',
    // Soon, another process must send instead of a frozen one.
    alone: ({ canary }) => canary.everySeconds + 30,
    round: ({ canary }) => canary.round(),
  },
  { name: 'housekeeping', every: () => 60, where: 'workers', round: housekeep },
] as const satisfies LoopDeclaration[]

export type LoopName = (typeof loops)[number]['name']

/** Starts the loops of a kind of process, each watched for signs of life. Tests omit some, and run their rounds themselves. */
export function startLoops(
  services: Services,
  where: LoopDeclaration['where'],
  leftOut: readonly LoopName[] = [],
  watch?: (name: string, everySeconds: number) => SignOfLife,
): Loop[] {
  const { config, logger } = services
  const wanted: readonly LoopDeclaration[] = loops.filter(
    ({ name, where: place }) => (place === 'everywhere' || place === where) && !leftOut.includes(name),
  )
  return wanted
    .map((loop) => ({ ...loop, seconds: loop.every(config) }))
    .filter(({ seconds }) => seconds > 0)
    .map(({ seconds, ...loop }) =>
      startLoop(loop.name, seconds, logger, roundOf(services, loop), watch?.(loop.name, seconds)),
    )
}

function roundOf(services: Services, { name, alone, needsTemporal, round }: LoopDeclaration) {
  const { config, lease, reachability } = services
  return async (stopping: AbortSignal): Promise<void> => {
    if (alone && !(await lease.hold(name, alone(config)))) return
    if (needsTemporal && !(await reachability.look()).reachable) return
    await round(services, stopping)
  }
}

/** One round of a loop, as a process would run it: for tests and manual use. */
export function runRound(services: Services, name: LoopName): Promise<void> {
  const loop = loops.find((one) => one.name === name) as LoopDeclaration
  return roundOf(services, loop)(new AbortController().signal)
}

/** Deletes expired data, and closes abandoned work. Safe in several processes. */
async function housekeep(services: Services, stopping: AbortSignal): Promise<void> {
  const {
    rateLimits,
    billing,
    stripe,
    outgoingLimit,
    vault,
    tools,
    agents,
    workers,
    scheduleSync,
    runs,
    retention,
    sessions,
    outbox,
    users,
    audit,
    notifications,
    signIn,
    outages,
    apps,
    processes,
    canary,
  } = services
  await rateLimits.purge()
  await outgoingLimit.purge()
  await vault.flows.purge()
  await tools.closeAbandoned()
  await workers.purge()
  await billing.storedBytes.purge()
  await billing.credits.sweep()
  await stripe?.events.purge()
  await scheduleSync.purge()
  await runs.live.purge()
  await agents.forgetFormerSecrets()
  await retention.purge(stopping)
  await sessions.purge(stopping)
  await outbox.purge()
  await users.purge()
  await audit.purge(stopping)
  await notifications.purge()
  await signIn.flows.purge()
  await outages.purge()
  await apps.purge()
  await processes.purge()
  await canary.purge()
}
