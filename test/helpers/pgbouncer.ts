import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { createControl } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { whenAnswering } from '../../bin/local/program.ts'
import { onServer } from './database.ts'
import { ownServerOptions } from './servers.ts'

/** PgBouncer in front of a database, in transaction mode. Returns the database's URL there. */
export async function startPgBouncer(
  t: ExecutionContext,
  database: string,
  { deadlines = '', ignored = 'extra_float_digits' }: { deadlines?: string; ignored?: string },
): Promise<string> {
  const { folder, record, environment } = ownServerOptions()
  const [port = 0] = await freePorts(1)
  const url = new URL(database)
  const { hostname, port: behind, username, password, pathname } = url
  const file = join(folder, 'pgbouncer.ini')
  const query = deadlines === '' ? '' : `connect_query='${deadlines.replaceAll("'", "''")}'`
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${behind} user=${username} password=${password} ${query}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = ${ignored}
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`,
  )
  url.hostname = '127.0.0.1'
  url.port = String(port)
  url.search = ''
  const control = createControl(
    {
      name: 'pgbouncer',
      command: 'pgbouncer',
      args: ['--quiet', file],
      env: environment,
      ready: whenAnswering(() => onServer(url.href, (client) => client.query('select'))),
      stopSignal: 'SIGTERM',
      stopSeconds: 5,
      readySeconds: 20,
    },
    record,
  )
  await control.start()
  t.teardown(() => control.kill())
  return url.href
}
