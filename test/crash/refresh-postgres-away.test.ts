import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { startOwnPostgres } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { ended, timelineOf } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { isGapless, measured } from './record.ts'
import {
  callDirectly,
  catchRefresh,
  historyOf,
  noticesOf,
  openOwner,
  refreshesAt,
  startRunOf,
  statusOf,
  untilExpired,
} from './refresh-stage.ts'
import { openStage } from './stage.ts'

test('tokens that arrive while Postgres is away are stored when it is back, even if their lease is over and others want it', async (t) => {
  const postgres = await startOwnPostgres(t)
  const stage = await openStage(t, { contacts: {}, env: { DATABASE_URL: postgres.url } })
  const { contacts } = stage
  const worker = await stage.startWorker()
  const owner = await openOwner(stage, 1)
  await untilExpired(stage, [owner])
  const caught = catchRefresh(contacts, { deliver: true, meanwhile: postgres.stop })
  const runId = await startRunOf(owner)
  await caught
  const stopped = Date.now()
  // A lease lasts ten seconds, and its holder cannot extend it now.
  await delay(10_500)
  contacts.intercept(undefined)

  await postgres.start()
  const back = Date.now()
  // From another process than the one that has the tokens.
  await eventually(20, 'a direct call succeeds', async () => (await callDirectly(owner)).status === 200 || undefined)
  measured(t, `${back - stopped} ms without Postgres, ${Date.now() - back} ms until a direct call was good`)
  t.is((await ended(owner.someone, runId, 40)).status, 'completed')
  t.is(refreshesAt(contacts).length, 1)
  t.deepEqual(await historyOf(owner), ['expiry refreshed'])
  t.is(await statusOf(owner), 'connected')
  t.is((await noticesOf(owner)).length, 0)
  const timeline = await timelineOf(owner.someone, runId)
  t.true(isGapless(timeline.map(({ number }) => number)))
  t.is(dataOf(timeline, 'credential.refreshed').length, 1)
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded', attempts: 1 }])
  t.false(worker.logs.some((line) => line.includes('nobody foresaw')))

  // What was stored is the grant that is good: it can be refreshed again.
  contacts.expireAccessTokens()
  t.is((await callDirectly(owner)).status, 200)
  t.deepEqual(
    refreshesAt(contacts).map(({ consumedBefore, status }) => ({ consumedBefore, status })),
    [
      { consumedBefore: false, status: 200 },
      { consumedBefore: false, status: 200 },
    ],
  )
})
