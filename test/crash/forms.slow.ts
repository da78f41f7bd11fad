// @promise decisions
import test from 'ava'
import { decide } from '../helpers/approvals.ts'
import { askingRun } from '../helpers/forms.ts'
import { timelineOf } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { openStage, reconcile } from './stage.ts'

test('a form that is answered while there is no worker is sent by the next one, once, and nobody is asked again', async (t) => {
  const stage = await openStage(t)
  const worker = await stage.startWorker()
  const { someone, id, next, sent, ordered, outcome } = await askingRun(t, stage.platform, 'order')
  const approval = await next()
  await worker.kill()
  reconcile(t, stage.platform)
  await decide(someone, approval.id, 'approve', { input: { size: 'm', amount: 2 } })
  t.is(sent().length, 1)
  await stage.platform.startWorker({ reconciles: true })
  t.like(await outcome(), { status: 'succeeded', attempts: 2 })
  t.is(sent().length, 2)
  t.deepEqual(ordered, [{ size: 'm', amount: 2 }])
  t.is(dataOf(await timelineOf(someone, id), 'approval.requested').length, 1)
})
