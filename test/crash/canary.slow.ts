// @promise canary
import test from 'ava'
import { getHealth } from '../../api/admin-health.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { openStage } from './stage.ts'

/** What the issue allows, in seconds. */
const inTime = 120

async function open(t: Parameters<typeof openStage>[0]) {
  const stage = await openStage(t, { env: { CANARY_SECONDS: '5' } })
  const [api] = await Promise.all([stage.startApi(), stage.startWorker()])
  const admin = { ...(await adminOf(stage.platform)), url: api.url }
  const health = async () => (await call(admin, getHealth)).body
  /** The checks and the canary look one after the other, so they agree a moment later. */
  const turns = (wanted: 'ok' | 'failing') =>
    eventually(inTime, `the canary is ${wanted}`, async () => {
      const { status, checks, canary } = await health()
      const isFailing = checks.some(
        ({ name, status: one }) => /^(workers|processes|loops)$/.test(name) && one === 'failing',
      )
      if (canary.status !== wanted || isFailing !== (wanted === 'failing')) return undefined
      return canary.lastSuccessAt ? { status, checks, canary } : undefined
    })
  await turns('ok')
  return { stage, turns }
}

test('a frozen worker turns the canary red within two minutes, although another one works, and back when it continues', async (t) => {
  const { stage, turns } = await open(t)
  const frozen = await stage.startWorker()
  await turns('ok')
  process.kill(frozen.pid, 'SIGSTOP')
  const began = Date.now()
  const red = await turns('failing')
  t.log(`red after ${Math.round((Date.now() - began) / 1000)} seconds`)
  t.like(red, { status: 'failing', canary: { failedStage: 'process' } })
  t.regex(red.checks.map(({ message }) => message).join('\n'), /silent without having signed off/i)
  process.kill(frozen.pid, 'SIGCONT')
  await turns('ok')
})

test('a loop whose round never ends turns the canary red within two minutes, and is named', async (t) => {
  const { stage, turns } = await open(t)
  const hang = new URL('hang-a-loop.ts', import.meta.url).href
  const began = Date.now()
  const hanging = await stage.startWorker({ NODE_OPTIONS: `--import=${hang}` })
  const red = await turns('failing')
  t.log(`red after ${Math.round((Date.now() - began) / 1000)} seconds`)
  t.like(red, { status: 'failing', canary: { failedStage: 'loop' } })
  t.regex(red.checks.find(({ name }) => name === 'loops')?.message ?? '', /"revocations" of the worker/)
  await hanging.stop()
  await turns('ok')
})
