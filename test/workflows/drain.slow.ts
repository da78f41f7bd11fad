import test from 'ava'
import { openStage, scriptsOn } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openClient, wakeUntilLong, wakeWhileClaiming } from './scenarios.ts'

const scripts = forWholeFile(test, 'drain', async (t) => scriptsOn(await openStage(t)))

// @promise order
test('a wake-up that comes while the queue claims makes it claim again before it lingers', async (t) => {
  const history = await wakeWhileClaiming(await scripts(), openClient(t))
  const types = history.events.map(({ eventType }) => eventType.replace('EVENT_TYPE_', ''))
  const claims = types.flatMap((type, index) => (type === 'MARKER_RECORDED' ? [index] : []))
  t.is(claims.length, 2)
  t.true((claims[1] ?? 0) < types.indexOf('TIMER_STARTED'), 'the second claim did not wait for the time to linger')
  t.is(types.at(-1), 'WORKFLOW_EXECUTION_COMPLETED')
})

test('a queue that is woken again and again without a run continues as new when its history is long', async (t) => {
  const { events } = await wakeUntilLong(await scripts(), openClient(t))
  t.is(events.at(-1)?.eventType, 'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW')
})
