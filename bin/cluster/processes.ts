import { fileURLToPath } from 'node:url'
import { openDoor, type Door } from './door.ts'
import { writeDatabaseUrl } from './folder.ts'
import type { Ground } from './ground.ts'
import type { Member } from './member.ts'
import { platformProgram } from './platform-program.ts'

interface Behind {
  /** The ports of PgBouncer or Postgres, and of Temporal, and Switchyard's database behind a port. */
  databasePort: number
  temporalPort: number
  urlAt: (port: number) => string
  settings: Record<string, string>
  hasDoors: boolean
}

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Makes the API processes and workers as members, without starting them. */
export async function addProcesses(ground: Ground, counts: { apis: number; workers: number }, behind: Behind) {
  const canary = `http://127.0.0.1:${ground.takePort()}`
  const canaryPort = Number(new URL(canary).port)
  const apis: { name: string; url: string; proxiedPort: number }[] = []
  const added: Member[] = []

  async function add(kind: 'api' | 'worker', number: number): Promise<void> {
    const name = `${kind}-${number}`
    const port = kind === 'api' && number === 1 ? canaryPort : ground.takePort()
    const doors = behind.hasDoors ? await openDoors(ground, kind === 'api' ? port : undefined, behind) : {}
    if (kind === 'api') apis.push({ name, url: `http://127.0.0.1:${port}`, proxiedPort: doors['proxy']?.port ?? port })
    const database = behind.urlAt(doors['database']?.port ?? behind.databasePort)
    const places = {
      '/run/secrets/database_url': writeDatabaseUrl(ground.folder, name, database),
      '/run/secrets': ground.secrets.folder,
      'temporal:7233': `127.0.0.1:${doors['temporal']?.port ?? behind.temporalPort}`,
      'http://api:3000': canary,
    }
    const { environment, services } = ground
    const given = { name, service: services[kind]!, port, places, environment, settings: behind.settings }
    added.push(ground.add((code) => platformProgram({ ...given, code }), doors))
  }

  for (let number = 1; number <= counts.apis; number += 1) await add('api', number)
  for (let number = 1; number <= counts.workers; number += 1) await add('worker', number)
  return { apis, added }
}

async function openDoors(
  ground: Ground,
  apiPort: number | undefined,
  { databasePort, temporalPort }: Behind,
): Promise<Record<string, Door>> {
  const open = (target: number): Promise<Door> => openDoor(ground.takePort(), target)
  const [database, temporal] = [await open(databasePort), await open(temporalPort)]
  return { database, temporal, ...(apiPort !== undefined && { proxy: await open(apiPort) }) }
}
