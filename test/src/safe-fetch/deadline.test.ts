import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { startDeadline } from '../../../src/safe-fetch/deadline.ts'

test('a process that stood still at the limit first reads what arrived meanwhile, but not for long', async (t) => {
  const deadline = startDeadline(50, [])
  t.teardown(() => deadline.clear())
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  // This timer ends after that of the limit.
  await delay(1)
  t.is(deadline.stopped(), undefined)
  if (!deadline.signal.aborted) await once(deadline.signal, 'abort')
  t.is(deadline.stopped(), 'timeout')
})
