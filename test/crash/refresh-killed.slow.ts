// @promise refresh-crashes
import test from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { connectContacts } from '../helpers/connect.ts'
import { eventually } from '../helpers/eventually.ts'
import { startGate } from '../helpers/gate.ts'
import { untilBlocked } from '../helpers/hold.ts'
import { ended, timelineOf } from '../helpers/people.ts'
import { dataOf, waiting } from '../helpers/runs.ts'
import { courseOf, isGapless, measured } from './record.ts'
import {
  callDirectly,
  catchRefresh,
  historyOf,
  isLeased,
  leadThrough,
  lockRow,
  noticesOf,
  openOwner,
  refreshesAt,
  startRunOf,
  statusOf,
  untilExpired,
  type Owner,
} from './refresh-stage.ts'
import { openStage, type Stage } from './stage.ts'

interface Victim extends Owner {
  runId: string
  /** What tells the refresh token apart that was sent before the kill; none if it did not get so far. */
  token: string | undefined
}

/** Starts the owner's run, and catches the refresh that its call needs; `meanwhile` is told which run it is. */
async function startVictim(
  { contacts }: Stage,
  owner: Owner,
  how: { proceed?: boolean; deliver?: boolean } = {},
  meanwhile: (runId: string) => Promise<void> = async () => {},
): Promise<Victim> {
  const before = refreshesAt(contacts).length
  const { promise: started, resolve } = Promise.withResolvers<string>()
  const caught = catchRefresh(contacts, { ...how, meanwhile: async () => meanwhile(await started) })
  const runId = await startRunOf(owner)
  resolve(runId)
  await caught
  return { ...owner, runId, token: refreshesAt(contacts)[before]?.refreshToken ?? undefined }
}

test('a worker killed at any point of a refresh costs no more than the connection, and no run', async (t) => {
  const [port = 0] = await freePorts(1)
  const gate = await startGate(t, port)
  const stage = await openStage(t, { contacts: { port }, allow: [`127.0.0.1:${gate.port}`] })
  const { contacts } = stage
  // The site's answers are held until the worker is killed, so it has to be patient.
  const first = await stage.startWorker({ TOKEN_TIMEOUT_SECONDS: '60' })

  // A 401 proves that nothing was done: even a call that must be made once may be made again afterwards.
  const refused = await openOwner(stage, 3600, 'crm.deleteContact {"id":1}')
  contacts.expireAccessTokens()
  const [unsent, unseen, unstored, stored] = [
    await openOwner(stage, 1),
    await openOwner(stage, 1),
    await openOwner(stage, 1),
    await openOwner(stage, 1),
  ]
  await leadThrough(stage, gate.port, unsent)
  const early = await openOwner(stage, 3600)
  await stage.platform.services
    .database('vault_entries')
    .where({ id: early.entryId })
    .update({ refresh_after: new Date(Date.now() - 1000) })
  await untilExpired(stage, [unsent, unseen, unstored, stored])

  // Each run is caught at another point, all by one worker.
  gate.shut()
  const unsentRun = { ...unsent, runId: await startRunOf(unsent) }
  await eventually(20, 'somebody comes to the gate', () => gate.taken() > 0 || undefined)
  const beforePost = await startVictim(stage, unseen, { proceed: false })
  const afterSpending = await startVictim(stage, refused)
  const stillAlive = await startVictim(stage, early)
  const locks: (() => Promise<void>)[] = []
  const lock = async (table: 'runs' | 'vault_entries', id: string) => void locks.push(await lockRow(stage, table, id))
  const beforeCommit = await startVictim(stage, unstored, { deliver: true }, () =>
    lock('vault_entries', unstored.entryId),
  )
  await untilBlocked(stage.platform.services.database)
  const afterCommit = await startVictim(stage, stored, { deliver: true }, (runId) => lock('runs', runId))
  await untilBlocked(stage.platform.services.database, 2)
  t.deepEqual(await historyOf(stored), ['expiry refreshed'])
  t.deepEqual(await historyOf(unstored), ['expiry null'])
  t.is(refreshesAt(contacts).length, 5)
  const underWay = [unsentRun, beforePost, afterSpending, stillAlive, beforeCommit]
  for (const victim of underWay) t.true(await isLeased(stage, victim), 'the worker that is killed has the lease')
  t.false(await isLeased(stage, afterCommit))

  await first.kill()
  const killed = Date.now()
  for (const release of locks) await release()
  contacts.intercept(undefined)
  gate.open()
  await stage.platform.startWorker()

  const sends = ({ token }: Victim) =>
    refreshesAt(contacts)
      .filter(({ refreshToken }) => refreshToken === token)
      .map(({ consumedBefore, error }) => (consumedBefore ? `consumed before, ${error}` : 'good'))
  const goOn = [unsentRun, beforePost, afterCommit, stillAlive]
  const stand = [afterSpending, beforeCommit]
  for (const { someone, runId } of goOn) {
    t.is((await ended(someone, runId, 40)).status, 'completed')
    measured(t, `${Date.now() - killed} ms from the kill until a run had ended`)
  }
  for (const victim of stand) {
    t.like(await waiting(victim.someone, victim.runId, 40), { waitingCause: 'credential' })
    measured(t, `${Date.now() - killed} ms from the kill until a run waited for its owner`)
    t.is(await statusOf(victim), 'needs_reauth')
    t.is((await noticesOf(victim)).length, 1)
    t.is((await callDirectly(victim)).failure.code, 'TOOL_EXECUTION_ERROR')
  }
  t.deepEqual(sends(beforePost), ['good', 'good'])
  t.deepEqual(await historyOf(beforePost), ['expiry abandoned', 'expiry refreshed'])
  // On a busy machine it takes so long until the kill that a connection is given up, and another one opened.
  const sentOrLost = (await historyOf(unsentRun)).filter((entry) => entry !== 'expiry not_sent')
  t.deepEqual(sentOrLost, ['expiry abandoned', 'expiry refreshed'])
  t.deepEqual(sends(afterCommit), ['good'])
  t.deepEqual(await historyOf(afterCommit), ['expiry refreshed'])
  t.deepEqual(sends(afterSpending), ['good', 'consumed before, invalid_grant'])
  t.deepEqual(await historyOf(afterSpending), ['unauthorized abandoned', 'unauthorized refused'])
  t.deepEqual(sends(beforeCommit), ['good', 'consumed before, invalid_grant'])
  t.deepEqual(await historyOf(beforeCommit), ['expiry abandoned', 'expiry refused'])
  // The access token lives: nobody touches the refresh token that is in doubt.
  t.deepEqual(sends(stillAlive), ['good'])
  t.deepEqual(await historyOf(stillAlive), ['expiry null'])
  for (const victim of goOn) t.deepEqual([await statusOf(victim), (await noticesOf(victim)).length], ['connected', 0])

  // Nothing comes by itself any more, however often somebody asks.
  t.is(refreshesAt(contacts).length, 9)
  for (let time = 0; time < 3; time += 1) {
    for (const victim of stand) t.is((await callDirectly(victim)).status, 502)
    t.is((await callDirectly(stillAlive)).status, 200)
    await stage.platform.services.runs.reconciler.round()
  }
  t.is(refreshesAt(contacts).length, 9)

  for (const { someone, entryId, runId } of stand) {
    await connectContacts(someone, contacts, { entryId })
    const back = Date.now()
    t.is((await ended(someone, runId, 20)).status, 'completed')
    measured(t, `${Date.now() - back} ms from reconnecting to the end of the run`)
  }
  t.is(refreshesAt(contacts).length, 9)
  for (const { someone, runId } of [...goOn, ...stand]) {
    const timeline = await timelineOf(someone, runId)
    measured(t, courseOf(timeline).join(', '))
    t.true(isGapless(timeline.map(({ number }) => number)))
    t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded' }])
    t.is(dataOf(timeline, 'step.finished').length, 2, 'the step that asked for the call was not made again')
    const waited = stand.some((victim) => victim.runId === runId)
    t.is(dataOf(timeline, 'wait.started').length, waited ? 1 : 0)
    t.is(dataOf(timeline, 'wait.ended').length, waited ? 1 : 0)
    if (waited) t.like(dataOf(timeline, 'wait.started')[0], { cause: 'credential', site: contacts.origin, calls: 1 })
    if (runId === beforePost.runId || runId === unsentRun.runId)
      t.is(dataOf(timeline, 'credential.refreshed').length, 1)
  }

  const deletions = contacts.requests().filter(({ tool }) => tool === 'crm.deleteContact')
  t.deepEqual(
    deletions.map(({ status }) => status),
    [401, 401, 200],
  )

  // When the site stops taking the access token, the token in doubt is tried once, and that is all.
  contacts.expireAccessTokens()
  t.is((await callDirectly(stillAlive)).failure.code, 'TOOL_EXECUTION_ERROR')
  t.is(await statusOf(stillAlive), 'needs_reauth')
  t.deepEqual(sends(stillAlive), ['good', 'consumed before, invalid_grant'])
  t.is((await noticesOf(stillAlive)).length, 1)
})
