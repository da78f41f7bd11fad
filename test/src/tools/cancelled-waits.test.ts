import test from 'ava'
import { ended } from '../../helpers/people.ts'
import { cancel, openScripts, start, waiting } from '../../helpers/runs.ts'

test('calls that waited for their turn at a host leave the queue when their run is cancelled', async (t) => {
  const { platform, someone, scripted } = await openScripts(t, { OUTGOING_PER_MINUTE: '1' })
  const { database } = platform.services
  const queued = async () => (await database('outgoing_waits').select('call_id')).length
  const two = '[[call slow_read {"seconds":0}]] [[call slow_read {"seconds":0}]]'
  const first = (await start(someone, await scripted(two))).body
  await waiting(someone, first.id)
  const second = (await start(someone, await scripted(two))).body
  await waiting(someone, second.id)
  t.is(await queued(), 3, 'one of the first, both of the second')

  await cancel(someone, second.id)
  t.is((await ended(someone, second.id)).status, 'cancelled')
  t.is(await queued(), 1, 'the other run keeps its place')
  await cancel(someone, first.id)
  t.is((await ended(someone, first.id)).status, 'cancelled')
  t.is(await queued(), 0)
})
