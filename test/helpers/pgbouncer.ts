import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { createControl } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { whenAnswering } from '../../bin/local/program.ts'
import { onServer } from './database.ts'
import { ownServerOptions } from './servers.ts'

/** What PgBouncer sets in each session, and what it ignores at the start of a connection: nothing special by default. */
interface PoolerSettings {
  deadlines?: string
  ignored?: string
}

type Surroundings = Pick<ReturnType<typeof ownServerOptions>, 'folder' | 'record' | 'environment'>

/** PgBouncer in front of a database, in transaction mode. Returns the database's URL there. */
export async function startPgBouncer(t: ExecutionContext, database: string, settings: PoolerSettings): Promise<string> {
  const { url, control } = await openPooler(database, settings, ownServerOptions())
  t.teardown(() => control.kill())
  return url
}

/** The same for a benchmark, which stops it by itself. */
export async function openPooler(database: string, settings: PoolerSettings, surroundings: Surroundings) {
  const { folder, record, environment } = surroundings
  const [port = 0] = await freePorts(1)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, configuration(new URL(database), port, settings))
  const url = new URL(database)
  Object.assign(url, { hostname: '127.0.0.1', port: String(port), search: '' })
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
  return { url: url.href, control }
}

/** PgBouncer refuses to run as root. */
function configuration(database: URL, listenPort: number, settings: PoolerSettings): string {
  const { hostname, port, username, password, pathname } = database
  const { deadlines = '', ignored = 'extra_float_digits' } = settings
  const query = deadlines === '' ? '' : `connect_query='${deadlines.replaceAll("'", "''")}'`
  return `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password} ${query}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
ignore_startup_parameters = ${ignored}
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`
}
