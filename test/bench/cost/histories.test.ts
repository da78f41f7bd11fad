import test from 'ava'
import { actionsIn } from '../../../bench/cost/histories.ts'

test('only the events that Temporal Cloud bills count as actions', (t) => {
  const actions = actionsIn([
    { workflowExecutionStartedEventAttributes: {} },
    { workflowTaskScheduledEventAttributes: {} },
    { activityTaskScheduledEventAttributes: {} },
    { activityTaskStartedEventAttributes: {} },
    { activityTaskScheduledEventAttributes: {} },
    { markerRecordedEventAttributes: {} },
  ])
  t.deepEqual(actions, {
    starts: 1,
    signals: 0,
    activities: 2,
    'local activities': 1,
    timers: 0,
    'changes of search attributes': 0,
  })
})
