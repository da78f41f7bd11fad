import test from 'ava'
import { begin, end, failAttempt, type Building } from '../../console/screens/runs/timeline/building.ts'
import { at, eventsOf } from './events.ts'

const [first, second] = eventsOf(['wait.started', 0], ['wait.started', 2]) as [never, never]
const nothing = (): Building => ({ bars: [], open: new Map() })

test('what begins again while it goes on stays one row, and knows both events', (t) => {
  const building = nothing()
  begin(building, 'wait', first, at(0), { title: 'Credits' })
  begin(building, 'wait', second, at(2), { title: 'Credits' })
  t.like(building.bars, { length: 1 })
  t.like(building.bars[0], { from: at(0), to: null, events: [1, 2] })
})

test('what has ended and begins again is another row', (t) => {
  const building = nothing()
  begin(building, 'wait', first, at(0), {})
  end(building, 'wait', first, at(1), 'calm', 'over')
  begin(building, 'wait', second, at(2), {})
  t.deepEqual(
    building.bars.map(({ id, to }) => [id, to]),
    [
      ['wait 1', at(1)],
      ['wait 2', null],
    ],
  )
})

test('what never began neither ends nor fails', (t) => {
  const building = nothing()
  t.is(end(building, 'wait', first, at(1), 'calm', 'over'), undefined)
  failAttempt(building, 'call', first, at(1), 'busy')
  t.deepEqual(building.bars, [])
})
