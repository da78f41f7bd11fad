import test from 'ava'
import { assertOnce } from '../crash/recovery/assert-once.ts'
import { decide } from '../crash/recovery/decide.ts'
import { isAsTheGuideSays, losePostgres, openPostgresTrial, restorePostgres } from '../crash/recovery/postgres-trial.ts'
import {
  fill,
  openTemporalTrial,
  recovers,
  sayLoss,
  untilIdle,
  untilUnderWay,
} from '../crash/recovery/temporal-trial.ts'
import { untilClosed } from '../crash/recovery/until-closed.ts'
import { allOver, until } from '../crash/recovery/work.ts'
import { measured } from '../crash/record.ts'

/*
 * Temporal or Postgres loses its storage, or gets an older copy back, while runs call a tool that must not be called
 * twice. It takes twenty minutes: npm run long -- recovery, with `-- -- --minutes=1` after it for a younger dump
 */
const minutes = Number(process.argv.find((one) => one.startsWith('--minutes='))?.slice('--minutes='.length) ?? 10)

// @promise temporal
test.serial('Temporal loses its storage while 200 runs are queued and 20 active, and none calls twice', async (t) => {
  const trial = await openTemporalTrial(t)
  await fill(trial, trial.workers)
  await untilUnderWay(trial)
  await sayLoss(t, trial)
  await trial.temporal.kill()
  await trial.temporal.forget()
  await recovers(t, trial)
})

// @promise temporal
test.serial('Temporal gets an older copy of its storage back meanwhile, and none calls twice', async (t) => {
  const trial = await openTemporalTrial(t)
  const { temporal, workers, requests } = trial
  // Of the queues that are open in the copy, some go on until the loss, and some close and are opened again.
  const [going, pausing] = [workers.slice(0, 10), workers.slice(10)]
  await fill(trial, workers, 4)
  await untilUnderWay(trial)
  await temporal.stop()
  await temporal.keep()
  await temporal.start()
  const copied = Date.now()
  await fill(trial, going)
  await untilIdle(trial, pausing.length)
  await untilClosed(
    temporal.address,
    pausing.map(({ agent }) => agent),
  )
  await fill(trial, pausing)
  await untilUnderWay(trial)
  await sayLoss(t, trial)
  const younger = requests().filter(({ at }) => Date.parse(at) > copied)
  measured(t, `the copy is ${Date.now() - copied} ms old, and ${younger.length} calls are younger`)
  t.true(younger.length >= 100, 'the copy lacks too little to say anything')
  await temporal.kill()
  await temporal.bringBack()
  await recovers(t, trial)
  await untilClosed(temporal.address)
})

// @promise once backups
test.serial(
  'Postgres is restored from an old dump while 50 runs are under way: nothing is called before somebody decides, and nothing twice',
  async (t) => {
    const trial = await openPostgresTrial(t, minutes)
    const { workers, requests } = trial
    const { file, forgotten, lost, lostKeys } = await losePostgres(t, trial, minutes)
    const restored = await restorePostgres(t, trial, file)
    await isAsTheGuideSays(t, restored, { workers, forgotten })
    // Several rounds of every loop that starts or repairs something.
    await new Promise((resolve) => setTimeout(resolve, 30_000))
    t.is(requests().length, restored.made, 'nothing is called before somebody decides')

    const began = Date.now()
    let cancelled = 0
    for (const one of workers) cancelled += await decide(one, restored.url, lost)
    measured(
      t,
      `${cancelled} runs were cancelled for what the site's log shows, and all agents resumed, in ${Date.now() - began} ms`,
    )
    await until(restored.database, { seconds: 1800, what: 'all runs have ended' }, allOver)
    measured(t, `${Date.now() - began} ms from the first decision until all runs had ended`)
    await assertOnce(t, { requests: requests(), database: restored.database, lost: lostKeys })
    const statuses: string[] = await restored.database('runs').distinct('status').pluck('status')
    t.deepEqual(statuses.toSorted(), ['cancelled', 'completed'])
    const stopped = await restored.database('runs').where({ status: 'cancelled' }).select('id')
    t.is(stopped.length, cancelled, 'only these were cancelled')
    await untilClosed(trial.temporal.address)
  },
)
