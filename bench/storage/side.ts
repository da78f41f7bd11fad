import { newCallbackSecret, newWebhookSecret } from '../../src/agents/new-secrets.ts'
import { createSealing, type Sealing } from '../../src/secrets/sealing.ts'
import { createServices, type Services } from '../../src/services.ts'
import { createLogger } from '../../src/logger.ts'
import { testConfig } from '../../test/helpers/config.ts'
import { databaseClock, type Clock } from '../../src/clock.ts'
import type { Role } from '../fill/agents.ts'

/** An agent, and the facts that the measurements need. */
export interface MeasuredAgent {
  id: string
  ownerId: string
  lastSequence: number
  /** A run from the middle of its life, and one from its last tenth. */
  middleRunId: string
  lateRunId: string
}

/** One of the two databases, with the services that use it. */
export interface Side {
  name: string
  services: Services
  agentsOf: (role: Role) => MeasuredAgent[]
  /** Ended runs from all times, with timelines and without. */
  full: { id: string; agentId: string; ownerId: string }[]
  bare: { id: string; agentId: string; ownerId: string }[]
  keys: { agentId: string; key: string }[]
}

/** Without Temporal nothing is woken, and nobody waits for an answer. */
const withoutTemporal = { wakeSoon: () => undefined, isReachable: () => Promise.resolve(false) }

/** Opens a filled database. By default the retention is so long that nothing is old enough to delete. */
export async function openSide(name: string, url: string, clock: Clock = databaseClock, days = 3650): Promise<Side> {
  // No mail is due, so nobody connects to this server. Without a server, the loop would not look for mails.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'bench@example.com' }
  const more = { RUN_RETENTION_DAYS: String(days), QUEUE_DEPTH: '1000000000', ...mail }
  const config = testConfig(url, more)
  const services = createServices(config, createLogger('error', 'bench'), { clock })
  Object.assign(services.temporal, withoutTemporal)
  await sealSecrets(services, createSealing(config.vaultKeys))
  const agents = await read<MeasuredAgent & { role: string }>(services, agentsStatement)
  const full = await sampled<Side['full'][number]>(services, fullStatement)
  const bare = await sampled<Side['bare'][number]>(services, bareStatement)
  const keys = await sampled<Side['keys'][number]>(services, keysStatement)
  return { name, services, agentsOf: (role) => agents.filter((agent) => agent.role === role), full, bare, keys }
}

/** A step decrypts its agent's secrets to hide them, and those of a filled database cannot be decrypted. */
async function sealSecrets({ database }: Services, sealing: Sealing): Promise<void> {
  const ids = await database('agents').pluck<string[]>('id')
  await database.raw(
    `update agents a
        set webhook_secret = given.webhook, callback_secret = case when callback_secret is not null then given.callback end
       from unnest(?::uuid[], ?::text[], ?::text[]) as given (id, webhook, callback) where a.id = given.id`,
    [ids, ids.map((id) => newWebhookSecret(sealing, id)), ids.map((id) => newCallbackSecret(sealing, id))],
  )
}

/** Pages are sampled at random; a small table is read completely. */
async function sampled<T>(services: Services, statement: string): Promise<T[]> {
  for (const percent of [0.01, 1, 100]) {
    const rows = await read<T>(services, statement, { percent })
    if (rows.length >= 100) return rows
  }
  throw new Error('There are too few runs to measure: fill the database with more.')
}

async function read<T>({ database }: Services, statement: string, bindings: Record<string, number> = {}): Promise<T[]> {
  const { rows } = await database.raw<{ rows: T[] }>(statement, bindings)
  return rows
}

const agentsStatement = `
  select a.id, a.owner_id as "ownerId", q.last_sequence as "lastSequence", r.id as "middleRunId",
         l.id as "lateRunId",
         regexp_replace(a.name, ' \\d+$', '') as role
    from agents a join agent_queues q on q.agent_id = a.id
    join runs r on r.agent_id = a.id and r.sequence = greatest(1, q.last_sequence / 2)
    join runs l on l.agent_id = a.id and l.sequence = greatest(1, q.last_sequence * 9 / 10)
   order by q.last_sequence desc`

const fullStatement = `
  select distinct on (s.subject_id) s.subject_id as id, r.agent_id as "agentId", r.owner_id as "ownerId"
    from steps s tablesample system (:percent) join runs r on r.id = s.subject_id
   where r.status = 'completed' order by s.subject_id limit 400`

const bareStatement = `
  select id, agent_id as "agentId", owner_id as "ownerId" from (
    select * from runs tablesample system (:percent) where status = 'completed' limit 5000) r
   order by md5(id::text) limit 400`

const keysStatement = `
  select agent_id as "agentId", key from (
    select * from idempotency_keys tablesample system (:percent) limit 5000) k
   order by md5(key) limit 400`
