// @promise chat-crashes
import test from 'ava'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { problemsOf, timesOf } from './expected.ts'
import { killAmid, type Played } from './kill.ts'
import { openScene } from './scene.ts'
import { deaths, rows, titleOf, type Death } from './table.ts'

/* For each way to die one kill amid all rows of the table; each test looks at one row. */
const aftermath = forWholeFile(test, 'answers that are killed', async (t) => {
  const scene = await openScene(t)
  const played = new Map<Death, Played[]>()
  for (const death of deaths) played.set(death, await killAmid(scene, { death }, rows))
  return { scene, playedIn: (death: Death) => played.get(death) ?? [] }
})

for (const death of deaths) {
  for (const row of rows) {
    test(`${death} is killed ${titleOf(row)}: the answer ends as the table says`, async (t) => {
      const { playedIn } = await aftermath()
      const played = playedIn(death).filter(({ kind, phase }) => kind === row.kind && phase === row.phase)
      t.is(played.length, 1)
      t.deepEqual(played.flatMap(problemsOf), [])
    })
  }
}

test('after all of these deaths nothing was charged twice, and the ledger is the balance', async (t) => {
  const { scene, playedIn } = await aftermath()
  for (const death of deaths) t.log(`${death}: ${timesOf(playedIn(death))}`)
  t.deepEqual(await scene.contradictions(), [])
})
