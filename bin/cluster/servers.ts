import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'
import { embeddedPostgres } from '../local/postgres/postgres.ts'
import { findTemporal } from '../local/temporal/binary.ts'
import type { Ground } from './ground.ts'
import { pooler } from './pooler.ts'
import { productionTemporal } from './temporal.ts'
import { temporalPrograms } from './temporal-programs.ts'

const makeUsers = fileURLToPath(new URL('../../deploy/postgres/10-users.sh', import.meta.url))

/** Postgres with the users and databases of docker-compose.yml, and PgBouncer in front of it. */
export async function startPostgres(ground: Ground) {
  const { environment, services, home, owner, secrets, add, say } = ground
  const [port, pooledPort] = [ground.takePort(), ground.takePort()]
  const password = secrets.read('switchyard_password')
  const given = { folder: home, port, password: secrets.read('postgres_password'), environment, user: 'postgres' }
  const server = await embeddedPostgres({ ...given, settings: settingsIn(services['postgres']!.command!) })
  say('Starting Postgres and PgBouncer ...')
  await add(() => server.program).start()
  await addUsers(ground, { PGHOST: '127.0.0.1', PGPORT: String(port), PGPASSWORD: given.password })
  const program = pooler({ home, owner, port: pooledPort, postgresPort: port, password, environment })
  await add(() => program).start()
  return {
    port,
    pooledPort,
    superuserUrl: server.url('postgres'),
    /** Switchyard's database behind a port. */
    urlAt: (at: number): string => `postgres://switchyard:${password}@127.0.0.1:${at}/switchyard`,
  }
}

/** Those of `postgres -c name=value …`. */
const settingsIn = (command: string[]): string[] => command.filter((word) => word.includes('='))

async function addUsers({ environment, secrets }: Ground, server: Record<string, string>): Promise<void> {
  const env = { ...environment, ...server, SECRETS_FOLDER: secrets.folder }
  const made = await execa('sh', [makeUsers], { env, extendEnv: false, reject: false })
  if (made.failed) throw new Error(`deploy/postgres/10-users.sh failed. It needs psql 15 or later.\n${made.stderr}`)
}

/** The production Temporal server on the same Postgres, with its schema and namespace. Resolves with its port. */
export async function startTemporal(ground: Ground, postgresPort: number): Promise<number> {
  const { environment, services, folder, secrets, record, local, say } = ground
  const ports = ground.takePorts(9)
  const programs = await temporalPrograms({ environment, record, say })
  const commandLine = await findTemporal(local, record, say)
  const server = productionTemporal({
    services,
    programs,
    commandLine,
    folder,
    postgresPort,
    ports,
    secrets,
    environment,
  })
  say('Starting Temporal ...')
  await server.migrate()
  await ground.add(() => server.program).start()
  await server.makeNamespace()
  return ports[0]!
}
