// @promise reconnect
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as notifications from '../../api/notifications.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { connectBadTools, customer, deliver, ended, runOf, timelineOf, webhookAgent } from '../helpers/people.ts'
import { dataOf, waiting } from '../helpers/runs.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { courseOf, measured } from './record.ts'
import { openStage, reconcile } from './stage.ts'

/** A run of which a tool call that must not be repeated waits for a new token, and another run behind it. */
async function parkedRun(t: ExecutionContext, env: Record<string, string> = {}) {
  const stage = await openStage(t, { sites: true, worker: true, env })
  reconcile(t, stage.platform)
  const someone = await customer(stage.platform)
  const entryId = await connectBadTools(someone, stage.sites)
  const replaceToken = async (token: string) =>
    t.is((await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })).status, 200)
  await replaceToken('bad-token')
  const agent = await webhookAgent(someone, {
    systemPrompt: '[[call slow_once {"seconds":0}]]',
    sites: [{ vaultEntryId: entryId }],
  })
  const { runId } = (await deliver(stage.platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(stage.platform, agent, { number: 2 })).body
  await waiting(someone, runId, 40)
  const reconnected = async () => {
    await replaceToken('good-token')
    return Date.now()
  }
  /** Both runs end as if nothing had happened, each call with one key, and each once with a good token. */
  async function goesOn(since: number): Promise<void> {
    for (const id of [runId, next]) {
      const run = await ended(someone, id, 60)
      measured(
        t,
        `${Date.now() - since} ms until a run had ended: ${courseOf(await timelineOf(someone, id)).join(', ')}`,
      )
      t.like(run, { status: 'completed', steps: 2 })
    }
    t.deepEqual(
      stage.sites.badTools.requests().map(({ idempotencyKey, status }) => [idempotencyKey, status]),
      [
        [`${runId}:1:0`, 401],
        [`${runId}:1:0`, 200],
        [`${next}:1:0`, 200],
      ],
    )
    t.is(dataOf(await timelineOf(someone, runId), 'wait.started').length, 1)
    t.is((await call(someone, notifications.listNotifications)).body.items.length, 1)
  }
  return { someone, runId, reconnected, goesOn }
}

test('a run that waits outlives a Temporal that is killed, and is resumed although its site was connected meanwhile', async (t) => {
  const temporal = await startOwnTemporal(t)
  const { someone, runId, reconnected, goesOn } = await parkedRun(t, { TEMPORAL_ADDRESS: temporal.address })
  await temporal.kill()
  await reconnected()
  await delay(2000)
  t.is((await runOf(someone, runId)).status, 'waiting')
  await temporal.start()
  await goesOn(Date.now())
})
