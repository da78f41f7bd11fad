import type { ExecutionContext } from 'ava'
import { freePorts } from '../../../bin/local/ports.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { openDatabaseDoor } from '../../helpers/database-door.ts'
import { testEnvironment } from '../../helpers/platform.ts'
import { startProcess } from '../../helpers/processes.ts'
import { openDoorTo } from '../../helpers/door.ts'
import { temporalAddress } from '../../helpers/temporal.ts'
import { createBalancer } from '../rolling/balancer.ts'
import { checkHealth } from '../rolling/health-checks.ts'
import { createUsers } from './users.ts'

/** An installation's own settings, where tests usually have others. */
const usual = { ACCESS_TOKEN_SECONDS: '3600', DATABASE_POOL: '10', DATABASE_WAIT_SECONDS: '5', CHAT_START_SECONDS: '1' }

/** Two API processes behind a balancer with health checks, four workers, users, and the doors that faults come in by. */
export async function openNeighbours(t: ExecutionContext) {
  const { url: databaseUrl } = await createTestDatabase(t)
  const temporal = await openDoorTo(t, temporalAddress())
  const door = await openDatabaseDoor(t, databaseUrl)
  const network = await openDoorTo(t, new URL(door.url).host)
  const balancer = createBalancer()
  const [address] = await freePorts(1)
  const BASE_URL = `http://127.0.0.1:${address}`
  const env = { ...usual, BASE_URL, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporal.address }
  const environment: Record<string, string> = await testEnvironment(t, { env })

  async function startApi(url: string): Promise<string> {
    const [port] = await freePorts(1)
    await startProcess(t, 'api', { ...environment, DATABASE_URL: url, PORT: String(port) })
    balancer.add(`http://127.0.0.1:${port}`)
    return `http://127.0.0.1:${port}`
  }
  const starting = Promise.all([startApi(databaseUrl), startApi(network.through(door.url))] as const)
  const workers = await Promise.all(Array.from({ length: 4 }, () => startProcess(t, 'worker', environment)))
  const [sound, behindDoors] = await starting
  const faulty = { url: behindDoors, turns: checkHealth(t, balancer, [sound, behindDoors]) }
  return { databaseUrl, temporal, door, network, workers, faulty, users: await createUsers(balancer) }
}
