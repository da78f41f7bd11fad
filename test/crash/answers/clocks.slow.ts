// @promise chat-crashes
import test from 'ava'
import { problemsOf, timesOf } from './expected.ts'
import { killAmid, type Clocks } from './kill.ts'
import { openScene } from './scene.ts'
import { deaths, rows } from './table.ts'

const apart = 30_000
const [beside] = deaths
/** Also behind the database's: npm run long -- answers */
const ways: Clocks[] = [
  [apart, 0],
  [0, apart],
]

test('answers end as the table says if the clocks of all processes are thirty seconds apart, both ways', async (t) => {
  const scene = await openScene(t)
  await scene.startWorkers([0, apart])
  const problems: string[] = []
  for (const clocks of ways) {
    const way = `${clocks.join(' and ')} ms ahead`
    const played = await killAmid(scene, { death: beside, clocks }, rows)
    t.log(`${way}: ${timesOf(played)}`)
    problems.push(...played.flatMap(problemsOf).map((problem) => `${way}: ${problem}`))
  }
  t.deepEqual([...problems, ...(await scene.contradictions())], [])
})
