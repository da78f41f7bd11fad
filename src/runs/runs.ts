import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import type { Callbacks } from '../callbacks/callbacks.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Models } from '../models/models.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Sites } from '../sites/sites.ts'
import type { ReachabilityOfTemporal } from '../temporal/reachability.ts'
import type { Temporal } from '../temporal/temporal.ts'
import type { Workers } from '../temporal/workers.ts'
import type { Sender } from '../tools/sender.ts'
import { createAccept } from './accept/accept.ts'
import { createManual } from './accept/manual.ts'
import { createReplay } from './accept/replay.ts'
import { createRepeats } from './accept/repeats.ts'
import type { Due } from './due.ts'
import { createCancel } from './ending/cancel.ts'
import { createEnd, createWriteEnding } from './ending/end.ts'
import { createClaim } from './queue/claim-run.ts'
import { createDepth } from './queue/depth.ts'
import { createReading } from './reading/read-runs.ts'
import { createWatching } from './reading/watching.ts'
import { createReconciler } from './reconcile/reconciler.ts'
import { createRunCalls } from './step/run-calls.ts'
import { createSteps } from './step/steps.ts'

/** Runs, from being accepted to their end, and what is on record of them. Each part is a room of this folder. */
export function createRuns(given: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  temporal: Temporal
  agents: Agents
  billing: Billing
  callbacks: Callbacks
  notifications: Notifications
  models: Models
  sites: Sites
  sender: Sender
  due: Due
  reachability: ReachabilityOfTemporal
  workers: Workers
}) {
  const context = { ...given, writeEnding: createWriteEnding(given) }
  const queue = { ...createClaim(context), ...createDepth(context) }
  const accept = createAccept(context)
  const repeats = createRepeats(accept)
  const reading = createReading(context)
  const read = (ownerId: string, runId: string) => reading.get(ownerId, runId)
  const entrance = { ...context, repeats, accept: accept.one, read, depth: queue.depth }
  const ending = { ...createEnd(context), ...createCancel(context) }

  return {
    accept: { ...accept, ...repeats, ...createManual(entrance), ...createReplay(entrance) },
    queue,
    steps: createSteps(context),
    calls: createRunCalls(context),
    ending,
    reconciler: createReconciler({ ...context, ...ending }),
    reading,
    watching: createWatching(context),
  }
}

export type Runs = ReturnType<typeof createRuns>
