// @promise other-schema
import { join } from 'node:path'
import test from 'ava'
import { execa } from '../../bin/execa.ts'
import { createControl } from '../../bin/local/control.ts'
import { postgresOwner } from '../../bin/local/postgres/postgres-owner.ts'
import { embeddedPostgres, ensureDatabase } from '../../bin/local/postgres/postgres.ts'
import { makePrivateFolder } from '../../bin/local/private-folder.ts'
import { localSecrets } from '../../bin/local/secrets.ts'
import { onServer } from '../helpers/database.ts'
import { installation } from '../helpers/installation.ts'
import { ofManyMigrations, otherDatabase, refusal } from '../helpers/other-database.ts'
import { testEnvironment } from '../helpers/platform.ts'
import { ownServerOptions, sharedServers } from '../helpers/servers.ts'

/** A Temporal of its own would prove nothing. */
const TEMPORAL_ADDRESS = sharedServers().temporal

const migrate = ['migrate']
for (const [made, [name, ...args]] of [
  ['of another baseline', migrate],
  ['of another baseline', ['migrate', '--rollback']],
  ['of another baseline', ['api']],
  ['of another baseline', ['worker']],
  ['of another baseline', ['admin', 'make-admin', 'a@b.example']],
  ['of many migrations', migrate],
  ['of another program', migrate],
  ['of no baseline', migrate],
] as const) {
  test(`a database ${made} is refused by ${[name, ...args].join(' ')}, and not changed`, async (t) => {
    const { url, look } = await otherDatabase(t, made)
    const before = await look()
    const env = await testEnvironment(t, { env: { DATABASE_URL: url, PORT: '0' } })
    const options = { cwd: join(import.meta.dirname, '../..'), env, extendEnv: false, reject: false, timeout: 60_000 }
    const { exitCode, stderr } = await execa(process.execPath, [`bin/${name}.ts`, ...args], options)
    t.is(exitCode, 1)
    t.regex(stderr, refusal)
    t.regex(stderr, /Point DATABASE_URL at an empty database and run the migrations\./)
    t.deepEqual(await look(), before)
  })
}

test('a start is refused with the database of another version that DATABASE_URL names', async (t) => {
  const { url, look } = await otherDatabase(t, 'of another baseline')
  const before = await look()
  const { lines, ended } = (await installation({ DATABASE_URL: url, TEMPORAL_ADDRESS })).start()
  t.is(await ended, 1)
  t.regex(lines.join('\n'), refusal)
  t.regex(lines.join('\n'), /Point DATABASE_URL at an empty database/)
  t.deepEqual(await look(), before)
})

test('a start is refused with the data folder of another version, and says which folder to move away', async (t) => {
  const { data: folder, postgres: port, start, processes } = await installation({ TEMPORAL_ADDRESS })
  const { record, environment } = ownServerOptions()
  makePrivateFolder(folder, postgresOwner())
  const { postgresPassword: password } = localSecrets(folder)
  const server = await embeddedPostgres({ folder, port, password, environment })
  const control = createControl(server.program, record)
  await control.start()
  await ensureDatabase(server.url('postgres'), 'switchyard')
  await onServer(server.url('switchyard'), (client) => client.query(ofManyMigrations))
  await control.stop()
  const { lines, ended } = start()
  t.is(await ended, 1)
  const said = lines.join('\n')
  t.regex(said, refusal)
  t.true(said.includes(`Move or delete ${folder}`), said)
  t.regex(said, /, and start again\./)
  t.deepEqual(processes(), [])
})
