// @promise crashes
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import type { Transaction } from '../../src/database/database.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startGatedTools } from '../helpers/gate.ts'
import { hold } from '../helpers/hold.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { askedFor, measured, untilAsked } from './record.ts'
import { openStage } from './stage.ts'

/*
 * kill -9 at each point around a tool call, of three calls at once: one that must not be repeated, one that may be, and
 * one that only reads. Another file kills the worker while the site works.
 */
const tools = ['slow_once', 'slow_idempotent', 'slow_read'] as const

/** What is to be seen of one call in the end. */
interface Seen {
  /** How often it has reached the site. */
  times: number
  status: 'succeeded' | 'unknown'
  attempts: number
}

async function threeCalls(t: ExecutionContext, env: Record<string, string> = {}) {
  const examples = await startSites(t)
  const { gate, origin, allow, acceptHosts } = await startGatedTools(t, examples)
  const sites = { ...examples, allow: [...examples.allow, ...allow] }
  const stage = await openStage(t, { sites, env })
  const { database } = stage.platform.services
  const someone = await customer(stage.platform)
  const vaultEntryId = (
    await call(someone, vault.addToVault, { body: { url: origin, token: 'any-token', acceptHosts } })
  ).body.id
  const systemPrompt = tools.map((tool) => `[[call ${tool} {"seconds":1}]]`).join('')
  const agent = await webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  const worker = await stage.startWorker()
  const begin = async () => (await deliver(stage.platform, agent, {})).body.runId
  const requests = examples.badTools.requests

  async function statuses(runId: string): Promise<string[]> {
    const rows: { status: string }[] = await database('run_tool_calls').where({ runId }).select('status')
    return rows.map(({ status }) => status)
  }
  const untilAll = (runId: string, status: string) =>
    eventually(30, `every call is ${status}`, async () => {
      const found = await statuses(runId)
      return (found.length === tools.length && found.every((one) => one === status)) || undefined
    })
  const untilStuck = () =>
    eventually(30, 'three transactions wait for the lock', async () => {
      const { rows } = await database.raw<{ rows: [{ count: number }] }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0].count >= tools.length || undefined
    })
  /** Holds a lock of the test's own while `work` goes on, and lets go of it after. */
  async function holding(lock: (trx: Transaction) => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
    const release = await hold(database, lock)
    try {
      await work()
    } finally {
      await release()
    }
  }

  /** Has another worker go on, and compares what the site saw, what is on record and what the model was told. */
  async function goesOn(runId: string, expected: Record<(typeof tools)[number], Seen>): Promise<void> {
    const since = Date.now()
    await stage.startWorker()
    t.is((await ended(someone, runId, 60)).status, 'completed')
    measured(t, `${Date.now() - since} ms until the run had ended`)
    const timeline = await timelineOf(someone, runId)
    const outcomes = dataOf(timeline, 'tool.finished')
    const told = String(dataOf(timeline, 'step.finished').at(-1)?.['text'])
    for (const [position, tool] of tools.entries()) {
      const { times, status, attempts } = expected[tool]
      const keys = times > 0 ? [`${runId}:1:${position}`] : []
      t.deepEqual(askedFor(requests(), tool), { times, keys }, tool)
      const outcome = outcomes.filter((one) => one['tool'] === tool)
      t.like(outcome, { 0: { status, attempts }, length: 1 }, tool)
      const words = status === 'unknown' ? 'and it is unknown whether that took effect' : 'which answered'
      t.true(told.includes(`${tool}, ${words}`), `${tool}: ${told}`)
    }
  }
  return { worker, gate, begin, requests, untilAll, untilStuck, holding, goesOn }
}

test('killed after the outcomes were recorded, and before Temporal knows of it: nothing is sent again', async (t) => {
  const temporal = await startOwnTemporal(t)
  const { worker, begin, requests, untilAll, goesOn } = await threeCalls(t, { TEMPORAL_ADDRESS: temporal.address })
  const runId = await begin()
  for (const tool of tools) await untilAsked(requests, tool)
  await temporal.kill()
  await untilAll(runId, 'succeeded')
  await worker.kill()
  await temporal.start()
  const sent = { times: 1, status: 'succeeded', attempts: 1 } as const
  await goesOn(runId, { slow_once: sent, slow_idempotent: sent, slow_read: sent })
})
