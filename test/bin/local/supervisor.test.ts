import test from 'ava'
import { whenLines } from '../../../bin/local/program.ts'
import { createSupervisor } from '../../../bin/local/supervisor.ts'
import { ownServerOptions } from '../../helpers/servers.ts'

test('a program that cannot start is told with its last words, and is not started again', async (t) => {
  const { folder, record, environment: env } = ownServerOptions()
  const said: string[] = []
  const supervisor = createSupervisor(record, folder, (text) => said.push(text))
  const ready = whenLines(() => false)
  const times = { stopSignal: 'SIGTERM', stopSeconds: 10, readySeconds: 60 } as const
  const args = ['-c', 'echo The key is missing. >&2; exit 1']
  const started = supervisor.start({ name: 'worker', command: 'sh', args, env, cwd: folder, ...times, ready })
  await t.throwsAsync(started, {
    message: 'worker exited before it was ready (exit code 1)\n  | The key is missing.',
  })
  t.deepEqual(said, [])
})
