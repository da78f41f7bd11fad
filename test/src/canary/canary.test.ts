// @promise canary
import test from 'ava'
import { getHealth } from '../../../api/admin-health.ts'
import { getStats } from '../../../api/admin-overview.ts'
import { canaryAgentId, canaryModel, systemOwnerId } from '../../../src/owners/system-owner.ts'
import { listModels } from '../../../api/models.ts'
import { runRound } from '../../../src/loops.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startPlatform } from '../../helpers/platform.ts'

const env = { CANARY_SECONDS: '1', BILLING: 'sandbox' }

test('a delivery of the canary passes the real path, costs nobody anything, and appears in no list', async (t) => {
  const platform = await startPlatform(t, { worker: true, env })
  const { canary, database } = platform.services
  const passed = await eventually(60, 'a delivery passes', async () => {
    const state = await canary.state()
    return state.lastSuccessAt ? state : undefined
  })
  t.like(passed, { status: 'ok', failedStage: null })
  const runs = await database('runs').where({ ownerId: systemOwnerId })
  t.true(runs.some(({ agentId, status }) => agentId === canaryAgentId && status === 'completed'))
  const attempt = await database('callback_attempts').first()
  t.is(attempt.httpStatus, 204)

  for (const table of ['accounts', 'ledger_entries', 'credit_holds', 'credit_months', 'audit_entries', 'notifications'])
    t.deepEqual(await database(table), [], table)
  const admin = await adminOf(platform)
  t.like((await call(admin, getStats)).body, { agents: 0, endedRuns: 0, runningRuns: 0, queuedRuns: 0 })
  t.false((await call(admin, listModels)).body.items.some(({ name }) => name === canaryModel))
  t.false(platform.services.models.has(canaryModel))
  const metrics = await platform.services.metrics.text()
  t.notRegex(metrics, /^switchyard_(deliveries|runs_ended|callbacks_ended|tokens|credits)_total\S* [1-9]/m)
  // A process reports its loops every few seconds.
  const series = await eventually(30, 'the loop of the canary is reported', async () => {
    const text = await platform.services.recordMetrics.text()
    return /^switchyard_loop_last_round_seconds\{loop="canary"\} /m.test(text) ? text : undefined
  })
  t.regex(series, /^switchyard_canary_up 1$/m)
  t.like((await call(admin, getHealth)).body, { canary: { status: 'ok' } })
})

test('the canary says at which stage deliveries stop, sends none while one is under way, and a forged callback is refused', async (t) => {
  const platform = await startPlatform(t, { env: { CANARY_SECONDS: '30' } })
  const { canary, database, processes } = platform.services
  await processes.report('api')
  t.like(await canary.state(), { status: 'ok', lastSuccessAt: null })
  await runRound(platform.services, 'canary')
  await runRound(platform.services, 'canary')
  t.is((await database('canary_attempts')).length, 1)
  await database('processes').update({ startedAt: database.raw(`now() - interval '91 seconds'`) })
  t.like(await canary.state(), { status: 'failing', failedStage: 'queue' })
  t.regex(await platform.services.recordMetrics.text(), /^switchyard_canary_up 0$/m)

  const { id: runId } = await database('runs').first()
  const body = JSON.stringify({ type: 'run.completed', data: { runId, status: 'completed' } })
  const headers = { 'webhook-id': 'forged', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
  const forged = { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }
  t.is((await fetch(`${platform.url}/canary`, { method: 'POST', headers: forged, body })).status, 401)
  t.is((await canary.state()).lastSuccessAt, null)

  await platform.startWorker()
  await eventually(60, 'the delivery passes after all', async () => (await canary.state()).status === 'ok' || undefined)
})

test('attempts and runs of more than an hour ago are deleted, except for the last success', async (t) => {
  const platform = await startPlatform(t, { worker: true, env: { CANARY_SECONDS: '1' } })
  const { canary, database } = platform.services
  await eventually(60, 'two deliveries pass', async () => {
    const rows = await database('canary_attempts').whereNotNull('calledBackAt')
    return rows.length >= 2 || undefined
  })
  await platform.stopWorker()
  await database.raw(
    `update canary_attempts set sent_at = sent_at - interval '2 hours', called_back_at = called_back_at - interval '2 hours'`,
  )
  await database.raw(`update runs set ended_at = ended_at - interval '2 hours'`)
  await database('canary_attempts').insert({ id: canaryAgentId, sentAt: new Date(), patienceSeconds: 90 })
  // Another one may be under way.
  const past = (await database('runs').whereNotNull('endedAt')).map(({ id }) => id as string)
  t.true(past.length >= 2)
  const keys = { runs: 'id', run_inputs: 'runId', run_events: 'runId', steps: 'subjectId', callbacks: 'runId' }
  const left = (table: string, key: string) => database(table).whereIn(key, past)
  for (const [table, key] of Object.entries(keys)) t.not((await left(table, key)).length, 0, table)
  await canary.purge()
  t.is((await database('canary_attempts')).length, 2)
  for (const [table, key] of Object.entries(keys)) t.deepEqual(await left(table, key), [], table)
  await canary.purge()
  t.truthy((await canary.state()).lastSuccessAt)
})
