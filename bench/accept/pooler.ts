import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createControl } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { whenAnswering } from '../../bin/local/program.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { onServer } from '../../test/helpers/database.ts'
import { record, temporaryFolder } from '../shared/folder.ts'

/** PgBouncer in front of the database, with a connection per transaction, or undefined if it is not installed. */
export async function openPooler(database: string) {
  const found = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  const [version] = /^PgBouncer \S+/.exec(found.stdout ?? '') ?? []
  if (!version) return undefined
  const [port = 0] = await freePorts(1)
  const url = new URL(database)
  url.port = String(port)
  const file = join(temporaryFolder, 'pgbouncer.ini')
  writeFileSync(file, configuration(new URL(database), port))
  const control = createControl(
    {
      name: 'pgbouncer',
      command: 'pgbouncer',
      args: ['--quiet', file],
      env: readLocalConfig().environment,
      ready: whenAnswering(() => onServer(url.href, (client) => client.query('select'))),
      stopSignal: 'SIGTERM',
      stopSeconds: 5,
      readySeconds: 20,
    },
    record,
  )
  await control.start()
  return { name: version, url: url.href, stop: () => control.stop() }
}

/** Transaction mode as docs/operate/second-machine.md recommends. PgBouncer refuses to run as root. */
const configuration = ({ hostname, port, username, password, pathname }: URL, listenPort: number): string => `
[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password} connect_query='${deadlines}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`

const deadlines = "set statement_timeout = ''30s''; set idle_in_transaction_session_timeout = ''5s''"
