import test from 'ava'
import { createBuffer } from '../../console/screens/runs/timeline/buffer.ts'
import { eventsOf } from './events.ts'

/** A buffer that draws when it is told to. */
function drawnByHand() {
  const due: (() => void)[] = []
  const buffer = createBuffer((draw) => due.push(draw))
  return { buffer, due, draw: () => due.splice(0).forEach((each) => each()) }
}

test('events that arrive together are drawn once', (t) => {
  const { buffer, due, draw } = drawnByHand()
  let drawn = 0
  buffer.subscribe(() => (drawn += 1))
  for (const event of eventsOf(['accepted', 0], ['started', 1], ['ended', 2, { status: 'completed' }]))
    buffer.add(event)
  t.is(due.length, 1)
  draw()
  t.is(drawn, 1)
  t.like(buffer.get(), { last: 3, hasEnded: true })
})

test('an event that arrived already or too early is left out', (t) => {
  const { buffer, draw } = drawnByHand()
  const [first, second, third] = eventsOf(['accepted', 0], ['started', 1], ['step.started', 2, { step: 1, attempt: 1 }])
  for (const event of [first, first, third, second]) if (event) buffer.add(event)
  draw()
  t.is(buffer.last(), 2)
})

test('words are put together, start over at offset 0, and go when the step ends', (t) => {
  const { buffer, draw } = drawnByHand()
  const words = (offset: number, text: string) => buffer.addWords({ step: 1, attempt: 1, offset, text })
  const text = () => (draw(), buffer.get().writing?.text)
  words(0, 'I look')
  words(6, ' at it')
  t.is(text(), 'I look at it')
  words(0, 'Again')
  t.is(text(), 'Again')
  const [event] = eventsOf(['step.failed', 0, { step: 1, attempt: 1 }])
  if (event) buffer.add(event)
  t.is(text(), undefined)
})

test('rows are another array when an event changes one, and the same one for words alone', (t) => {
  const { buffer, draw } = drawnByHand()
  const [first, second] = eventsOf(['accepted', 0], ['started', 1])
  const bars = () => (draw(), buffer.get().bars)
  if (first) buffer.add(first)
  const begun = bars()
  t.is(begun[0]?.to, null)
  buffer.addWords({ step: 1, attempt: 1, offset: 0, text: 'I look' })
  t.is(bars(), begun)
  if (second) buffer.add(second)
  const started = bars()
  t.not(started, begun)
  t.not(started[0]?.to, null)
})
