import type { Database } from '../../../src/database/database.ts'
import { appliedTo, migrate, type Migration } from '../../../src/database/migrate.ts'
import { watchLocks, type HeldLock } from './watch-locks.ts'

/** How a migration went on the copy. */
export interface Rehearsed {
  name: string
  seconds: number
  /** How much larger the database has become. */
  bytes: number
  locks: HeldLock[]
}

/** Longer locks keep requests and runs waiting, in seconds. */
const longestLock = 2

/**
 * Applies the pending migrations to the copy, one after the other. Each is timed and watched through a connection of
 * its own.
 */
export async function timeMigrations(
  { copy, watcher, migrations }: { copy: Database; watcher: Database; migrations: Migration[] },
  say: (text: string) => void,
): Promise<Rehearsed[]> {
  const applied = new Set(await appliedTo(copy))
  const rehearsed: Rehearsed[] = []
  for (const [index, { name }] of migrations.entries()) {
    if (applied.has(name)) continue
    const through = migrations.slice(0, index + 1)
    const one = await timeMigration(name, { watcher, work: () => migrate(copy, through, say) })
    say(inWords(one))
    rehearsed.push(one)
  }
  return rehearsed
}

async function timeMigration(
  name: string,
  { watcher, work }: { watcher: Database; work: () => Promise<unknown> },
): Promise<Rehearsed> {
  const before = await sizeOf(watcher)
  const watching = watchLocks(watcher)
  const began = performance.now()
  try {
    await work()
  } catch (error) {
    throw new Error(`The migration ${name} fails: ${(error as Error).message}`, { cause: error })
  } finally {
    await watching.stop()
  }
  const seconds = (performance.now() - began) / 1000
  return { name, seconds, bytes: (await sizeOf(watcher)) - before, locks: await watching.stop() }
}

export async function sizeOf(database: Database): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ bytes: number }] }>(
    'select pg_database_size(current_database()) as bytes',
  )
  return rows[0].bytes
}

/** The locks that are too long, a sentence each. */
export const tooLong = ({ name, locks }: Rehearsed): string[] =>
  locks
    .filter(({ seconds }) => seconds > longestLock)
    .map(
      ({ table, blocks, seconds }) =>
        `The migration ${name} keeps ${blocks} of ${table} waiting for ${inSeconds(seconds)}, more than ${longestLock} s.`,
    )

function inWords({ name, seconds, bytes, locks }: Rehearsed): string {
  const longest = locks.slice(0, 5).map((lock) => `${lock.table} ${inSeconds(lock.seconds)} (${lock.blocks} wait)`)
  const held = longest.length > 0 ? `Longest locks: ${longest.join(', ')}.` : 'No lock that others wait for.'
  return `${name}: ${inSeconds(seconds)}, ${inBytes(bytes)} more space. ${held}`
}

export const inSeconds = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 2 : 0)} s`

export const inBytes = (bytes: number): string =>
  new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(bytes / 1024 ** 2) + ' MB'
