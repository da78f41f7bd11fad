/** Files that mostly wait for seconds, whatever runs beside them. Sorted by duration when run alone, longest first. */
export const slowFiles = [
  'test/src/runs/ending/cancel.test.ts',
  'test/api/streams.test.ts',
  'test/check-site/check-site.test.ts',
  'test/src/callbacks/deliver.test.ts',
  'test/src/runs/changing-tools.test.ts',
]

/**
 * Files with their own process, because beside other tests they would miss deadlines for lack of CPU, or because they
 * measure the processor time of their thread, or because most of their tests are serial.
 */
export const timedFiles = [
  'test/api/open-streams.test.ts',
  'test/api/totp.test.ts',
  'test/src/safe-fetch/safe-fetch.test.ts',
  'test/src/runs/late-attempts.test.ts',
  'test/src/runs/reconcile/reconciler.test.ts',
  'test/src/schedules/in-temporal.test.ts',
  'test/src/schedules/fires/ledger.test.ts',
  'test/workflows/in-temporal.test.ts',
]
