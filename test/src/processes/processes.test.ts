import test from 'ava'
import { startLoop } from '../../../src/loop.ts'
import { createLogger } from '../../../src/logger.ts'
import { createProcesses } from '../../../src/processes/processes.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startPlatform } from '../../helpers/platform.ts'

test('a process is frozen once it is silent without having signed off, and its loops are no longer judged', async (t) => {
  const { database } = (await startPlatform(t)).services
  const [one, other] = [createProcesses({ database }), createProcesses({ database })]
  await one.report('api')
  await other.report('worker')
  t.deepEqual(await one.troubles(), { frozen: [], dead: [] })
  const silentFor = (interval: string) =>
    database('processes')
      .where({ kind: 'worker' })
      .update({ seenAt: database.raw(`now() - interval '${interval}'`) })
  await silentFor('16 seconds')
  t.like((await one.troubles()).frozen, { 0: { kind: 'worker' }, length: 1 })
  await silentFor('11 minutes')
  t.deepEqual((await one.troubles()).frozen, [])
  await silentFor('16 seconds')
  const [second, third] = [createProcesses({ database }), createProcesses({ database })]
  await second.report('worker')
  t.deepEqual((await one.troubles()).frozen, [], 'a later worker has replaced it')
  await third.report('worker')
  await database('processes')
    .where({ kind: 'worker' })
    .update({ seenAt: database.raw(`least(seen_at, now() - interval '16 seconds')`) })
  t.is((await one.troubles()).frozen.length, 3, 'nothing has replaced them')
  await createProcesses({ database }).report('worker')
  t.is((await one.troubles()).frozen.length, 2, 'one is replaced')
  await database('processes').where({ kind: 'worker' }).delete()
  await other.report('worker')
  await silentFor('16 seconds')
  await other.signOff()
  t.deepEqual((await one.troubles()).frozen, [])
})

test('a loop is dead once it gives no sign of life, and a round that looks whether it must stop gives one', async (t) => {
  const { database } = (await startPlatform(t)).services
  const processes = createProcesses({ database })
  // A hundredth of a second for each second that counts.
  const logger = createLogger('silent', 'test')
  let looks = 0
  const release = Promise.withResolvers<void>()
  const stuck = processes.watch('stuck', 0.1)
  const busy = startLoop(
    'busy',
    0.01,
    logger,
    async (stopping) => {
      while (!stopping.aborted) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    () => void (looks += 1),
  )
  let signs = 0
  const hanging = startLoop(
    'stuck',
    0.01,
    logger,
    () => release.promise,
    () => {
      signs += 1
      stuck()
    },
  )
  await eventually(10, 'the long round looks at its signal', () => looks > 3 || undefined)
  t.is(signs, 0)
  release.resolve()
  await eventually(10, 'the round ends', () => signs > 0 || undefined)
  await Promise.all([busy.stop(), hanging.stop()])

  await processes.report('api')
  t.deepEqual((await processes.troubles()).dead, [])
  const quiet = JSON.stringify([{ name: 'stuck', quiet: 61, limit: 60 }])
  await database('processes').update({ loops: quiet })
  t.like((await processes.troubles()).dead, { 0: { name: 'stuck', kind: 'api', quietSeconds: 61 }, length: 1 })
})
