// @promise doctor
import test from 'ava'
import { join } from 'node:path'
import { endRecorded } from '../../bin/local/process-record.ts'
import { execa } from '../../bin/execa.ts'
import { installation } from '../helpers/installation.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const root = join(import.meta.dirname, '../..')
const real = { api: join(root, 'bin/api.ts'), worker: join(root, 'bin/worker.ts') }

test('doctor', async (t) => {
  const place = await installation()
  t.teardown(() => endRecorded(place.records))
  const started = place.start(real)
  await started.ready
  const doctor = async (env: Record<string, string> = {}, ...words: string[]) => {
    const began = Date.now()
    const { exitCode, stdout, stderr } = await execa(process.execPath, [join(root, 'bin/admin.ts'), 'doctor', ...words], {
      env: { ...ownEnvironment(), DATA_DIR: place.data, ...env }, extendEnv: false, reject: false,
    })
    console.log(Date.now() - began, exitCode, stdout, stderr)
  }
  await doctor({}, '--all')
  await doctor({}, '--all', '--try-providers')
  await doctor({ BASE_URL: 'http://127.0.0.1:9' })
  await doctor({ DATABASE_URL: 'postgres://127.0.0.1:9/x' })
  await doctor({ TEMPORAL_ADDRESS: '127.0.0.1:9' })
  await doctor({ DATA_DIR: '/tmp/nowhere' })
  started.kill('SIGTERM')
  t.is(await started.ended, 0)
})
