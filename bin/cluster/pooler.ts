import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { PostgresOwner } from '../local/postgres/postgres-owner.ts'
import { whenAnswering, type Program } from '../local/program.ts'
import { replaceFile } from '../local/write-file.ts'

interface PoolerOptions {
  /** A folder that the owner may enter. */
  home: string
  owner: PostgresOwner
  port: number
  postgresPort: number
  password: string
  environment: Record<string, string>
}

const shipped = new URL('../../deploy/pgbouncer/pgbouncer.ini', import.meta.url)

/** PgBouncer with the shipped settings, at addresses of this machine. It refuses to run as root. */
export function pooler({ home, owner, port, postgresPort, password, environment }: PoolerOptions): Program {
  const folder = join(home, 'pgbouncer')
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'userlist.txt')]
  const url = `postgres://switchyard:${password}@127.0.0.1:${port}/switchyard`
  return {
    name: 'pgbouncer',
    command: 'pgbouncer',
    args: [file],
    env: environment,
    cwd: '/',
    owner,
    stopSignal: 'SIGTERM',
    stopSeconds: 5,
    readySeconds: 20,
    beforeStart: async () => {
      mkdirSync(folder, { recursive: true })
      replaceFile(users, `"switchyard" "${password}"\n`, 0o600)
      const changes = { listen_addr: '127.0.0.1', listen_port: port, auth_file: users }
      const text = readFileSync(shipped, 'utf8').replace(
        'host=postgres port=5432',
        `host=127.0.0.1 port=${postgresPort}`,
      )
      replaceFile(file, withSettings(text, changes), 0o600)
      if (owner) for (const path of [folder, file, users]) chownSync(path, owner.uid, owner.gid)
    },
    ready: whenAnswering(() => askOnce(url)),
    shown: (line) => (/ (FATAL|ERROR) /.test(line) ? line : undefined),
  }
}

function withSettings(text: string, changes: Record<string, string | number>): string {
  return Object.entries(changes).reduce((done, [name, value]) => {
    const line = new RegExp(`^${name} = .*$`, 'm')
    if (!line.test(done)) throw new Error(`deploy/pgbouncer/pgbouncer.ini does not set ${name}.`)
    return done.replace(line, `${name} = ${value}`)
  }, text)
}

async function askOnce(connectionString: string): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2000 })
  client.on('error', () => {
    // It may end between connecting and asking; the caller retries.
  })
  await client.connect()
  try {
    await client.query('select')
  } finally {
    await client.end()
  }
}
