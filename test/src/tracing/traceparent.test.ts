import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { readTraceparent, spanOfRun, writeTraceparent } from '../../../src/tracing/traceparent.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('a traceparent is read as W3C Trace Context has it', (t) => {
  t.deepEqual(readTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true })
  t.deepEqual(readTraceparent(`00-${traceId}-${spanId}-02`), { traceId, spanId, isSampled: false })
  t.deepEqual(readTraceparent(`cc-${traceId}-${spanId}-01-later`), { traceId, spanId, isSampled: true })
})

test('an invalid traceparent is none', (t) => {
  const invalid = [
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `cc-${traceId}-${spanId}-01${'-x'.repeat(200)}`,
    `00-${traceId}-${spanId}`,
    `${traceId}-${spanId}`,
  ]
  for (const text of invalid) t.is(readTraceparent(text), undefined, text)
})

test("a run's span has the same id wherever it is asked for, in the trace that accepted it", (t) => {
  const id = newId()
  const span = spanOfRun({ id, traceparent: writeTraceparent({ traceId, spanId, isSampled: true }) })
  t.is(span?.traceId, traceId)
  t.truthy(readTraceparent(writeTraceparent(span ?? { traceId, spanId, isSampled: false })))
  t.deepEqual(spanOfRun({ id, traceparent: `00-${traceId}-${spanId}-01` }), span)
  t.is(spanOfRun({ id, traceparent: null }), undefined)
})
