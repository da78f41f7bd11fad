// @promise once
import test from 'ava'
import { seedOfRun } from '../../money/seed.ts'
import { playCalls } from './play.ts'

/* The short form of npm run long -- mcp. */
test('calls to MCP servers and APIs are sent once while processes are killed and answers are cut', async (t) => {
  t.timeout(5 * 60_000)
  const seed = seedOfRun()
  const { faults, repeated, inDoubt, kills } = await playCalls(t, { seed, count: 120, seconds: 20, hurries: true })
  t.deepEqual(faults, [], `seed ${seed}`)
  t.true(inDoubt > 0, 'answers were cut')
  t.true(kills.api + kills.worker > 0, 'processes were killed')
  t.true(repeated.length > 0, 'a client that repeats calls is seen to repeat them')
})
