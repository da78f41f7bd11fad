import test from 'ava'
import { customer, ended } from '../helpers/people.ts'
import { cancel } from '../helpers/runs.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { endsInTime, measured, two, untilEvent } from './record.ts'
import { openStage, reconcile } from './stage.ts'

const impatient = { RECONCILE_SECONDS: '1', STALL_SECONDS: '2' }

// @promise cancel
test('cancelling ends in time while Temporal is away and while there is no worker, and the next runs go on after', async (t) => {
  const temporal = await startOwnTemporal(t)
  const stage = await openStage(t, { env: { ...impatient, TEMPORAL_ADDRESS: temporal.address } })
  const { platform } = stage
  const worker = await stage.startWorker()
  // As an API process does; that it does is shown where a worker freezes.
  reconcile(t, platform)
  const someone = await customer(platform)
  const [first, second] = [await two(platform, someone, '[[sleep 60]]'), await two(platform, someone, '[[sleep 61]]')]
  for (const { runId } of [first, second]) await untilEvent(someone, runId, 'step.started')

  await temporal.stop()
  await cancel(someone, first.runId)
  await endsInTime(t, someone, first.runId)
  await temporal.start()
  const back = Date.now()
  t.is((await ended(someone, first.next, 60)).status, 'completed')
  measured(t, `${Date.now() - back} ms from the return of Temporal to the end of the next run`)

  await worker.kill()
  await cancel(someone, second.runId)
  await endsInTime(t, someone, second.runId)
  const began = Date.now()
  await platform.startWorker()
  t.is((await ended(someone, second.next, 60)).status, 'completed')
  measured(t, `${Date.now() - began} ms from the new worker's start to the end of the next run`)
})
