import test from 'ava'
import { barsOf } from '../../console/screens/runs/timeline/bars.ts'
import { scaleOf } from '../../console/screens/runs/timeline/idle.ts'
import { at, eventsOf } from './events.ts'

const step = (number: number, from: number, to: number): Parameters<typeof eventsOf> => [
  ['step.started', from, { step: number, attempt: 1 }],
  ['step.finished', to, { step: number, attempt: 1, text: '' }],
]

test('without long gaps, the line is to scale', (t) => {
  const scale = scaleOf(barsOf(eventsOf(...step(1, 0, 4), ...step(2, 5, 10))), at(10))
  t.deepEqual(
    [0, 2.5, 5, 10].map((second) => scale.at(at(second))),
    [0, 0.25, 0.5, 1],
  )
  t.deepEqual(scale.gaps, [])
})

test('a night between two steps takes little of the line, and the steps stay to scale', (t) => {
  const night = 8 * 3600
  const scale = scaleOf(barsOf(eventsOf(...step(1, 0, 4), ...step(2, night, night + 4))), at(night + 4))
  t.is(scale.gaps.length, 1)
  const [gap] = scale.gaps
  t.true(gap !== undefined && gap.end - gap.start < 0.05)
  const [first, second] = [scale.at(at(4)) - scale.at(at(0)), scale.at(at(night + 4)) - scale.at(at(night))]
  t.true(Math.abs(first - second) < 1e-9)
  t.is(scale.at(at(night + 4)), 1)
})

test('times outside of the line are at its ends, and time never goes back on it', (t) => {
  const scale = scaleOf(barsOf(eventsOf(...step(1, 0, 4), ...step(2, 5000, 5004), ...step(3, 9000, 9001))), at(9001))
  t.is(scale.at(at(-10)), 0)
  t.is(scale.at(at(99_999)), 1)
  const places = Array.from({ length: 9002 }, (_, second) => scale.at(at(second)))
  t.true(places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0)))
})

test('a run that only waits, and one without events, have a line', (t) => {
  const waiting = scaleOf(barsOf(eventsOf(['accepted', 0, { trigger: 'webhook', ahead: 0, sequence: 1 }])), at(600))
  t.deepEqual([waiting.at(at(0)), waiting.at(at(300)), waiting.at(at(600))], [0, 0.5, 1])
  t.is(scaleOf([], at(0)).at(at(0)), 0)
})

test('many long gaps leave most of the line to the work', (t) => {
  const hour = 3600
  const steps = Array.from({ length: 100 }, (_, index) => step(index + 1, index * hour, index * hour + 1)).flat()
  const scale = scaleOf(barsOf(eventsOf(...steps)), at(99 * hour + 1))
  t.is(scale.gaps.length, 99)
  const idle = scale.gaps.reduce((sum, { start, end }) => sum + end - start, 0)
  t.true(idle < 0.3, `${idle} of the line is idle`)
})
