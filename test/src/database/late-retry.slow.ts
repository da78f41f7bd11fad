import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { recordMs, retryWhileUnavailable } from '../../../src/database/database.ts'

test('work is done once more when one attempt at it has used up all its time', async (t) => {
  let tries = 0
  const stored = await retryWhileUnavailable(async () => {
    tries += 1
    if (tries > 1) return 'stored'
    await delay(recordMs + 100)
    throw new Error('select 1 - Query read timeout')
  })
  t.is(stored, 'stored')
})
