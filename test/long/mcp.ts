// @promise once
import test from 'ava'
import { playCalls } from '../crash/mcp-calls/play.ts'
import { seedOfRun } from '../money/seed.ts'

/*
 * Calls to MCP servers and to APIs with a document, by agents and by programs, while workers and APIs are killed and
 * answers are cut, beside the same schedule with another client. Ten minutes have 2,200 calls: npm run long -- mcp.
 * `-- --minutes=N --seed=N` after it plays another schedule, or one again.
 */
const minutes = Number(process.argv.find((one) => one.startsWith('--minutes='))?.slice('--minutes='.length) ?? 10)
const callsPerMinute = 220

test('no call to an MCP server or an API is sent twice, whatever is killed and cut, and those in doubt can be found', async (t) => {
  t.timeout((minutes * 3 + 15) * 60_000)
  const seed = seedOfRun()
  const count = Math.round(minutes * callsPerMinute)
  const { faults, repeated } = await playCalls(t, { seed, count, seconds: minutes * 60 })
  t.deepEqual(faults, [], `seed ${seed}`)
  t.true(repeated.length > 0, 'a client that repeats calls is seen to repeat them')
})
