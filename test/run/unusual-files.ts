/** Files that mostly wait for seconds, whatever runs beside them. Sorted by duration when run alone, longest first. */
export const slowFiles = [
  'test/crash/frozen-worker.test.ts',
  'test/crash/deploy.test.ts',
  'test/crash/orphans.test.ts',
  'test/crash/postgres-away.test.ts',
  'test/crash/force-cancel.test.ts',
  'test/crash/worker-killed.test.ts',
  'test/src/runs/ending/cancel.test.ts',
  'test/crash/refresh-killed.test.ts',
  'test/api/why.test.ts',
  'test/crash/several-processes.test.ts',
  'test/crash/temporal-away.test.ts',
  'test/api/streams.test.ts',
  'test/check-site/check-site.test.ts',
  'test/src/callbacks/deliver.test.ts',
  'test/src/runs/changing-tools.test.ts',
  'test/workflows/drain.test.ts',
  'test/crash/schedules-reconciled.test.ts',
  'test/bin/start.test.ts',
  'test/docs/first-hour.test.ts',
  'test/crash/operators.test.ts',
]

/**
 * Files with their own process, because beside other tests they would miss deadlines for lack of CPU, or because they
 * measure the processor time of their thread, or because most of their tests are serial.
 */
export const timedFiles = [
  'test/api/heavy-manifests.test.ts',
  'test/api/open-streams.test.ts',
  'test/api/password-battery.test.ts',
  'test/api/totp.test.ts',
  'test/chat/bounds.test.ts',
  'test/chat/forged-history.test.ts',
  'test/src/safe-fetch/safe-fetch.test.ts',
  'test/src/runs/late-attempts.test.ts',
  'test/src/runs/reconcile/reconciler.test.ts',
  'test/src/schedules/in-temporal.test.ts',
  'test/src/schedules/fires/ledger.test.ts',
  'test/src/tools/outgoing-limit.test.ts',
  'test/workflows/in-temporal.test.ts',
]
