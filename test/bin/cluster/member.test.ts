import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMember } from '../../../bin/cluster/member.ts'
import { whenLines } from '../../../bin/local/program.ts'
import { eventually } from '../../helpers/eventually.ts'
import { ownServerOptions } from '../../helpers/servers.ts'

/** A shell that runs the script, and is started again when it ends. Each process says `started`. */
function member(t: ExecutionContext, script = 'echo started; echo ready; sleep 600') {
  const { folder, record, environment: env } = ownServerOptions()
  let starts = 0
  const ready = whenLines((line) => line === 'ready')
  const times = { stopSignal: 'SIGTERM', stopSeconds: 10, readySeconds: 30 } as const
  const beforeStart = async () => void (starts += 1)
  const program = { name: 'it', command: 'sh', args: ['-c', script], env, cwd: folder, ...times, ready, beforeStart }
  const said: string[] = []
  const options = { record, logFolder: join(folder, 'logs'), restarts: true, code: '' }
  const made = createMember({ ...options, program: () => program, say: (text) => said.push(text) })
  t.teardown(() => made.stop())
  const untilBack = (former?: number) =>
    eventually(20, 'it is back', () => (made.pid() === former ? undefined : made.pid()))
  return { it: made, said, starts: () => starts, untilBack }
}

test('a member that is killed comes back once, even if it is killed again as it comes back', async (t) => {
  const { it, starts, untilBack } = member(t)
  await it.start()
  const first = it.pid()
  await it.kill()
  const second = await untilBack()
  // It may not be ready yet.
  await it.kill()
  const third = await untilBack(second)
  t.is(new Set([first, second, third]).size, 3)
  t.is(starts(), 3)
})

test('what ends before it is ready is started again until it is', async (t) => {
  const once = 'echo started; [ -e failed ] || { touch failed; exit 3; }; echo ready; sleep 600'
  const { it, said, starts, untilBack } = member(t, `[ -e begun ] || { touch begun; echo ready; sleep 600; }; ${once}`)
  await it.start()
  const first = it.pid()
  await it.kill()
  await eventually(20, 'the second start fails', () => said.find((text) => text.includes('exit code 3')))
  t.not(await untilBack(), first)
  t.is(starts(), 3)
})

test('a member that is stopped as it comes back stays down, without a process', async (t) => {
  const { it, starts, untilBack } = member(t, '[ -e begun ] || { touch begun; echo ready; }; sleep 600')
  await it.start()
  await it.kill()
  // It waits to be ready, in vain.
  const returning = await untilBack()
  await it.stop()
  t.is(it.pid(), undefined)
  t.throws(() => process.kill(returning, 0), { code: 'ESRCH' })
  t.is(starts(), 2)
})

test('a member that is stopped before it is started again is not started', async (t) => {
  const { it, starts } = member(t)
  await it.start()
  await it.kill()
  await it.stop()
  t.deepEqual([it.pid(), starts()], [undefined, 1])
})
