// @promise chat-crashes
import test from 'ava'
import { problemsOf, timesOf } from '../crash/answers/expected.ts'
import { killAmid, type Clocks, type Played } from '../crash/answers/kill.ts'
import { openScene } from '../crash/answers/scene.ts'
import { deaths, rows, titleOf, type Row } from '../crash/answers/table.ts'
import { measured } from '../crash/record.ts'
import { progressOf } from '../helpers/progress.ts'
import { chance, type Chance } from '../money/chance.ts'
import { seedOfRun } from '../money/seed.ts'

/*
 * Kills of API processes amid answers, at random over the table, over both ways to die, and over clocks that are apart,
 * beside two workers. Fifty take half an hour: npm run long -- answers. `-- --kills=N --seed=N` after it repeats a shorter one.
 */
const kills = Number(process.argv.find((one) => one.startsWith('--kills='))?.slice('--kills='.length) ?? 50)
/** How many answers each kill interrupts. */
const each = 8
const apart = 30_000
const clocks = [
  [0, 0],
  [apart, 0],
  [0, apart],
  [-apart, 0],
  [0, -apart],
] as const satisfies Clocks[]

const drawn = (random: Chance): Row[] => Array.from({ length: each }, () => random.of(rows as [Row]))

/** How often each row was played. */
const tallyOf = (played: Played[]): string =>
  [...Map.groupBy(played, titleOf)].map(([title, all]) => `${all.length} × ${title}`).join(', ')

test('whenever an API process is killed, answers end as the table says, and the ledger is the balance', async (t) => {
  t.timeout(120 * 60_000)
  const seed = seedOfRun()
  t.log(`seed ${seed}`)
  const random = chance(seed)
  const scene = await openScene(t)
  await scene.startWorkers([0, apart])
  const noted = progressOf('kills', kills, 5)
  const all: Played[] = []
  const problems: string[] = []
  for (let kill = 1; kill <= kills; kill += 1) {
    const plot = { death: random.of(deaths), clocks: random.of(clocks) }
    const played = await killAmid(scene, plot, drawn(random))
    const where = `kill ${kill}, ${plot.death}, clocks ${plot.clocks.join(' and ')}`
    problems.push(...played.flatMap(problemsOf).map((problem) => `${where}: ${problem}`))
    all.push(...played)
    noted()
  }
  measured(t, `${kills} kills amid ${all.length} answers: ${tallyOf(all)}`)
  measured(t, timesOf(all))
  t.deepEqual([...problems, ...(await scene.contradictions())], [], `seed ${seed}`)
})
