import test from 'ava'
import { createRequestLog } from '../../examples/sites/request-log.ts'

test('the log keeps its newest entries only, the newest last', (t) => {
  const log = createRequestLog(3)
  for (const tool of ['a', 'b', 'c', 'd']) log.add(tool, {})
  t.deepEqual(
    log.list().map(({ tool }) => tool),
    ['b', 'c', 'd'],
  )
})

test('what the log hands out cannot change it, but the entry of a call can', (t) => {
  const log = createRequestLog()
  const entry = log.add('a', { 'idempotency-key': 'k', authorization: 'Bearer secret' })
  for (const listed of log.list()) listed.tool = 'changed'
  entry.status = 200
  t.like(log.list()[0], { tool: 'a', status: 200, idempotencyKey: 'k' })
  t.false(JSON.stringify(log.list()).includes('secret'))
})
