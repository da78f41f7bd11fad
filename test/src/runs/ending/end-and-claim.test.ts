import test from 'ava'
import { eventually } from '../../../helpers/eventually.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { claimed, openLate } from '../open-late.ts'

const house = forWholeFile(test, 'endings that claim', (t) => openLate(t))

const completed = { status: 'completed', reason: null } as const

/** An agent whose first run is claimed by the execution `one` of its queue, and whose second run is queued. */
async function twoRuns() {
  const late = await house()
  const { runs, database } = late.services
  const { run } = await claimed(late, 'Report.')
  const { agentId } = run
  await database('agentQueues').where({ agentId }).update({ claimedBy: 'one' })
  const accepted = { agentId, trigger: 'webhook', requestId: 'next', payload: '{}' } as const
  const { runId: next } = await runs.accept.one(accepted)
  const end = (...given: Parameters<typeof runs.ending.endAndClaim>) => runs.ending.endAndClaim(...given)
  const queue = () =>
    database('agentQueues').where({ agentId }).first('runningRunId', 'claimedBy', 'awake') as Promise<object>
  const statusOf = async (id: string) => (await database('runs').where({ id }).first('status')) as object
  return { ...late, runs, run, next, accepted, queue, statusOf, end }
}

test('an ending claims the next run for the execution that claimed the ended one, and says so each time', async (t) => {
  const { end, run, next, queue, statusOf } = await twoRuns()
  const first = await end(run, completed, 'one')
  t.like(first, { runId: next, epoch: 1, sequence: run.sequence + 1 })
  t.like(await statusOf(run.runId), { status: 'completed' })
  t.like(await queue(), { runningRunId: next, claimedBy: 'one' })
  // As after a worker that died before it could report.
  t.deepEqual(await end(run, completed, 'one'), first)
})

test('an ending claims nothing for an execution that has no claim, and leaves the next run queued', async (t) => {
  for (const claimant of ['another', null]) {
    const { end, run, next, queue, statusOf } = await twoRuns()
    t.is(await end(run, completed, claimant), undefined)
    t.like(await statusOf(run.runId), { status: 'completed' })
    t.like(await statusOf(next), { status: 'queued' })
    t.like(await queue(), { runningRunId: null, claimedBy: null, awake: true })
  }
})

test('an ending after which nothing is queued lets the queue fall asleep, so that the next accept wakes it', async (t) => {
  const { end, runs, run, accepted, queue } = await twoRuns()
  const next = await end(run, completed, 'one')
  if (!next) throw new Error('there was nothing to claim')
  t.is(await end(next, completed, 'one'), null)
  t.like(await queue(), { runningRunId: null, awake: false })
  t.is(await end(next, completed, 'one'), undefined, 'said again, it has to be asked')
  await runs.accept.one({ ...accepted, requestId: 'later' })
  t.like(await queue(), { awake: true })
})

test('a claim that fails does not take the ending with it', async (t) => {
  const { end, runs, run, next, services, platform, queue, statusOf } = await twoRuns()
  await services.database.raw(refuseStart(next))
  t.is(await end(run, completed, 'one'), undefined)
  t.like(await statusOf(run.runId), { status: 'completed' })
  t.like(await queue(), { runningRunId: null })
  await eventually(
    5,
    'the failure is in the log',
    () => platform.logs.some((line) => line.includes('no start')) || undefined,
  )
  await services.database.raw('drop trigger refuse_start on runs; drop function refuse_start')
  t.like(await runs.queue.claimNext(run.agentId, 'one'), { runId: next })
})

/** Has Postgres refuse the start of a run. */
const refuseStart = (runId: string) => `
  create function refuse_start() returns trigger language plpgsql as $$ begin raise exception 'no start'; end $$;
  create trigger refuse_start before update on runs for each row
    when (new.id = '${runId}' and new.status = 'running' and old.status = 'queued') execute function refuse_start()`
