// @promise chat-crashes
import test from 'ava'
import { problemsOf, timesOf } from './expected.ts'
import { killAmid, openScene } from './scene.ts'
import { deaths, rows } from './table.ts'

const apart = 30_000
const [beside] = deaths

test('answers end as the table says if the clocks of all processes are thirty seconds apart, both ways', async (t) => {
  const scene = await openScene(t)
  await scene.startWorkers([0, apart])
  for (const clocks of [
    [apart, 0],
    [0, apart],
    [-apart, 0],
  ] as const) {
    const played = await killAmid(scene, { death: beside, clocks }, rows)
    t.log(`${clocks.join(' and ')} ms ahead: ${timesOf(played)}`)
    t.deepEqual(played.flatMap(problemsOf), [], `${clocks.join(' and ')} ms ahead`)
  }
  t.deepEqual(await scene.contradictions(), [])
})
