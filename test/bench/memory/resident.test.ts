import test from 'ava'
import { mediansOf, watchMemory } from '../../../bench/memory/resident.ts'

test('each group of samples has its median, and the last group may be shorter', (t) => {
  t.deepEqual(mediansOf([5, 1, 3, 9, 8, 7, 2], 3), [3, 8, 2])
})

test('the memory of this process is measured in MB', async (t) => {
  const { minutes, peak } = await watchMemory(process.pid, () => new Promise((done) => setTimeout(done, 1500)))
  t.is(minutes.length, 1)
  t.true((minutes[0] ?? 0) > 20 && (minutes[0] ?? 0) < 20_000)
  t.true(peak >= (minutes[0] ?? 0))
})
