import type { Agents } from '../agents/agents.ts'
import type { Approvals } from '../approvals/approvals.ts'
import type { Billing } from '../billing/billing.ts'
import type { Callbacks } from '../callbacks/callbacks.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Loop } from '../loop/loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Outages } from '../outages/outages.ts'
import type { ReachabilityOfTemporal } from '../temporal/reachability.ts'
import type { Temporal } from '../temporal/temporal.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Workers } from '../temporal/workers.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { Payloads } from '../webhooks/payloads.ts'
import { createAccept } from './accept/accept.ts'
import { createManual } from './accept/manual-runs.ts'
import { createReplay } from './accept/replay.ts'
import { createReplayBatches } from './accept/replay-batches.ts'
import { createReplayFailed } from './accept/replay-failed.ts'
import { createReplayable } from './accept/assert-replayable.ts'
import { createRepeats } from './accept/repeated-requests.ts'
import type { Due } from './due.ts'
import { createCancel } from './ending/cancel.ts'
import { createCancelSeveral } from './ending/cancel-several.ts'
import { createEnd, createWriteEnding } from './ending/end-run.ts'
import { createClaim } from './queue/claim-run.ts'
import { createDepth } from './queue/depth.ts'
import { createWatchedWords } from './live/watched-words.ts'
import { createReading } from './reading/read-runs.ts'
import { createWatching } from './reading/watch-runs.ts'
import { createReconciler } from './reconcile/reconciler.ts'
import { createRunTraces } from './run-traces.ts'
import { createNoPlace } from './step/no-place.ts'
import { createRunCalls } from './step/run-calls.ts'
import { createSteps } from './step/steps.ts'

/** Runs, from acceptance to ending, and how to read them. Each part has its own folder. */
export function createRuns(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  temporal: Temporal
  agents: Agents
  approvals: Approvals
  billing: Billing
  callbacks: Callbacks
  metrics: Metrics
  notifications: Notifications
  loop: Loop
  outages: Outages
  payloads: Payloads
  rateLimits: RateLimits
  due: Due
  reachability: ReachabilityOfTemporal
  workers: Workers
  tracing: Tracing
}) {
  const live = createWatchedWords(context)
  const traces = createRunTraces(context)
  const base = { ...context, live, traces, writeEnding: createWriteEnding({ ...context, traces }) }
  const queue = { ...createClaim(base), ...createDepth(base) }
  const accept = createAccept(base)
  const repeats = createRepeats(accept)
  const reading = createReading(base)
  const read = (ownerId: string, runId: string) => reading.get(ownerId, runId)
  const replayable = createReplayable(base)
  const acceptContext = { ...base, ...replayable, repeats, accept: accept.one, read, depth: queue.depth }
  const batches = createReplayBatches({ ...base, ...replayable, accept })
  const replays = { ...createReplay(acceptContext), ...createReplayFailed({ ...base, batches }) }
  const cancel = createCancel(base)
  const ending = { ...createEnd({ ...base, ...queue }), ...cancel, ...createCancelSeveral({ ...base, ...cancel }) }

  return {
    accept: { ...accept, ...repeats, ...createManual(acceptContext), ...replays },
    queue,
    steps: createSteps(base),
    calls: createRunCalls(base),
    noteNoPlace: createNoPlace(base),
    traces,
    ending,
    reconciler: createReconciler({ ...base, ...ending }),
    reading,
    live,
    watching: createWatching(base),
  }
}

export type Runs = ReturnType<typeof createRuns>
