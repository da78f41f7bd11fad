// @promise order once
import test from 'ava'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startGatedTools } from '../helpers/gate.ts'
import { customer, deliver, timelineOf, webhookAgent } from '../helpers/people.ts'
import { cancel, dataOf } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { endsInTime } from './record.ts'
import { openStage, reconcile } from './stage.ts'

test('a worker that was frozen before it sent a call does not send it after its run has ended without it', async (t) => {
  const own = await startSites(t)
  const { gate, origin, allow, acceptHosts } = await startGatedTools(t, own)
  const stage = await openStage(t, { sites: { ...own, allow: [...own.allow, ...allow] } })
  const { platform } = stage
  const someone = await customer(platform)
  const body = { url: origin, token: 'any-token', acceptHosts }
  const { id: vaultEntryId } = (await call(someone, vault.addToVault, { body })).body
  const systemPrompt = '[[call slow_once {"seconds":0}]]'
  const agent = await webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  const frozen = await stage.startWorker()
  reconcile(t, platform)
  const [known] = await platform.services.workers.list()
  const calls = own.badTools.requests().length

  gate.shut()
  const [taken, answered] = [gate.taken(), gate.answered()]
  const { runId } = (await deliver(platform, agent, {})).body
  await eventually(30, 'the worker connects', () => gate.taken() > taken || undefined)
  process.kill(frozen.pid, 'SIGSTOP')
  await cancel(someone, runId)
  await endsInTime(t, someone, runId)
  t.like(dataOf(await timelineOf(someone, runId), 'tool.finished')[0], { status: 'unknown' })

  // What the site answers to the connection waits for the worker, which could send the call at once.
  gate.open()
  await eventually(10, 'the site answers', () => gate.answered() > answered || undefined)
  const thawed = new Date()
  process.kill(frozen.pid, 'SIGCONT')
  await eventually(30, 'the worker says that it is there', async () => {
    const found = (await platform.services.workers.list()).find(({ id }) => id === known?.id)
    return (found && found.seenAt > thawed) || undefined
  })
  t.is(own.badTools.requests().length, calls)
})
