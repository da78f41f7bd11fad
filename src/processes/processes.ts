import type { SignOfLife } from '../loop.ts'
import type { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { version } from '../version.ts'
import { frozenOnes, isFresh } from './presence-sql.ts'

export type ProcessKind = 'api' | 'worker'

/** How often a process writes its row, in seconds. */
export const reportSeconds = 5

/** How long a silent process is on record, in hours. */
const retentionHours = 24

/** A loop is dead after this many of its intervals without a sign of life, but not before `shortestSeconds`. */
const deadRounds = 6
const shortestSeconds = 60

/** A process that fell silent without having signed off. */
export interface FrozenProcess {
  id: string
  kind: ProcessKind
  silentSeconds: number
}

/** A loop of a present process that gives no sign of life. */
export interface DeadLoop {
  processId: string
  kind: ProcessKind
  name: string
  quietSeconds: number
}

export interface Troubles {
  frozen: FrozenProcess[]
  dead: DeadLoop[]
}

/**
 * The processes of the platform: each reports every few seconds that it is present, and how long ago each of its loops
 * gave a sign of life (table `processes`). All times are the database's, because process clocks differ.
 */
export function createProcesses({ database }: { database: Database }) {
  const id = newId()
  const loops = new Map<string, { at: number; limitSeconds: number }>()

  const signsOfLife = () =>
    [...loops].map(([name, { at, limitSeconds }]) => ({
      name,
      quiet: Math.round(performance.now() - at) / 1000,
      limit: limitSeconds,
    }))

  return {
    /** Expects signs of life of a loop from now on. Returns the function that gives one. */
    watch: (name: string, everySeconds: number): SignOfLife => {
      const loop = { at: performance.now(), limitSeconds: Math.max(shortestSeconds, deadRounds * everySeconds) }
      loops.set(name, loop)
      return () => void (loop.at = performance.now())
    },

    async report(kind: ProcessKind): Promise<void> {
      await database.raw(reportStatement, { id, kind, version, loops: JSON.stringify(signsOfLife()) })
    },

    signOff: async (): Promise<void> => void (await database.raw('delete from processes where id = :id', { id })),

    /** At most 100 of each, the longest first. */
    async troubles(): Promise<Troubles> {
      const [frozen, dead] = await Promise.all([
        database.raw<{ rows: FrozenProcess[] }>(frozenStatement),
        database.raw<{ rows: DeadLoop[] }>(deadStatement),
      ])
      return { frozen: frozen.rows, dead: dead.rows }
    },

    async purge(): Promise<void> {
      await database.raw(purgeStatement)
    },
  }
}

export type Processes = ReturnType<typeof createProcesses>

const reportStatement = `
  insert into processes (id, kind, version, loops, started_at, seen_at)
    values (:id, :kind, :version, :loops::jsonb, statement_timestamp(), statement_timestamp())
  on conflict (id) do update set loops = excluded.loops, seen_at = excluded.seen_at`

const frozenStatement = `
  select id, kind, extract(epoch from statement_timestamp() - seen_at)::float8 as "silentSeconds"
    from ${frozenOnes} f order by seen_at, id limit 100`

const deadStatement = `
  select p.id as "processId", p.kind, l.name, l.quiet as "quietSeconds"
    from processes p, jsonb_to_recordset(p.loops) as l (name text, quiet float8, "limit" float8)
   where ${isFresh} and l.quiet > l.limit order by l.quiet desc, p.id limit 100`

const purgeStatement = `
  delete from processes where seen_at < statement_timestamp() - interval '${retentionHours} hours'`
