import test from 'ava'
import * as admin from '../../api/admin.ts'
import * as why from '../../api/why.ts'
import type { CauseCode } from '../../src/why/cause.ts'
import { openStage } from '../crash/stage.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, type Person } from '../helpers/people.ts'
import { cancel, happened, start } from '../helpers/runs.ts'

const ofRun = async (someone: Person, runId: string) => (await call(someone, why.whyRun, { params: { runId } })).body

type Answer = Awaited<ReturnType<typeof ofRun>>
const codesOf = ({ causes }: Answer) => causes.map(({ code }) => code)
const causeIn = ({ causes }: Answer, code: CauseCode) => causes.find((cause) => cause.code === code)

/** What is seen while the answer is asked for again and again until it names the cause. */
const untilCause = (ask: () => Promise<Answer>, code: CauseCode, seconds = 20) =>
  eventually(seconds, `the answer names ${code}`, async () => {
    const answer = await ask()
    const cause = causeIn(answer, code)
    return cause && { answer, cause }
  })

const isRecent = (time: string | null) => time !== null && Math.abs(Date.now() - Date.parse(time)) < 60_000

// @promise why
test('a worker that is not there yet, freezes, or was stopped is noticed, and so is what it leaves', async (t) => {
  const stage = await openStage(t, { env: { CANCEL_SECONDS: '60' } })
  const someone = await customer(stage.platform)
  const operator = await adminOf(stage.platform)
  const workers = async () => (await call(operator, admin.listWorkers)).body.items
  const agent = await agentOf(someone, { systemPrompt: '[[sleep 300]]' })
  const began = Date.now()
  const { id } = (await start(someone, agent)).body
  const pending = await ofRun(someone, id)
  t.deepEqual([pending.state, ...codesOf(pending)], ['queued', 'NO_WORKER', 'WAKE_PENDING'])
  t.is(causeIn(pending, 'NO_WORKER')!.since, null, 'there never was one')
  const wake = causeIn(pending, 'WAKE_PENDING')!
  t.like(wake, { runId: id, sequence: 1 })
  t.true(Date.parse(wake.since ?? '') >= began - 1000 && Date.parse(wake.until ?? '') > Date.parse(wake.since ?? ''))
  t.deepEqual(await workers(), [])

  const worker = await stage.startWorker()
  await happened(someone, id, 'step.started')
  await eventually(10, 'the worker is seen', async () => {
    const answer = await ofRun(someone, id)
    return codesOf(answer).join() === 'WORKING' || undefined
  })
  t.like(await workers(), { 0: { present: true, polling: true }, length: 1 })

  process.kill(worker.pid, 'SIGSTOP')
  const frozen = Date.now()
  // It is not asked why all the while: an answer costs ten times what this does.
  await eventually(60, 'the worker is missed', async () =>
    (await stage.platform.services.workers.presence()).present ? undefined : true,
  )
  const { answer: alone, cause } = await untilCause(() => ofRun(someone, id), 'NO_WORKER')
  t.log(`a frozen worker was noticed after ${(Date.now() - frozen) / 1000} s`)
  t.deepEqual([alone.state, ...codesOf(alone)], ['running', 'NO_WORKER', 'WORKING'])
  t.true(Math.abs(Date.parse(cause.since ?? '') - frozen) < 10_000)
  t.like(await workers(), { 0: { present: false, polling: true }, length: 1 })

  t.is((await cancel(someone, id)).status, 200)
  const cancelling = await ofRun(someone, id)
  t.deepEqual([cancelling.state, ...codesOf(cancelling)], ['running', 'NO_WORKER', 'CANCELLING', 'WORKING'])
  const asked = causeIn(cancelling, 'CANCELLING')!
  t.like(asked, { runId: id, sequence: 1, step: 1 })
  t.true(isRecent(asked.since) && Date.parse(asked.until ?? '') > Date.now() + 30_000)

  process.kill(worker.pid, 'SIGCONT')
  await ended(someone, id)
  t.is(await worker.stop(), 0)
  t.deepEqual(await workers(), [], 'one that was stopped has signed off')
})
