import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { CodedError } from '../errors.ts'
import { bytesInWords } from '../amounts-in-words.ts'
import type { AccountStatus } from './account-status.ts'

/** The minimum that a run, an answer, a session or a direct call counts, for its rows. */
const rowBytes = 1024

/** How long a sum from the database is reused, in milliseconds. */
const freshMs = 5000

/**
 * The bytes stored for each owner within the retention period: payloads, tool results, instructions, runs and chats.
 * Each process adds up what it stores and writes the sum about once a second: a row that every delivery locks would
 * make an owner's agents wait for each other. So an owner may exceed the limit by a few seconds' worth, and a killed
 * process loses the last second.
 */
export function createStoredBytes(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
}) {
  const { database, clock, config } = context
  /** Not yet written, by owner. */
  let added = new Map<string, number>()
  const known = new Map<string, { bytes: number; at: number }>()

  const since = (): Date => later(clock.now(), -config.runRetentionDays * 86_400)

  async function read(ownerId: string, trx: Transaction | undefined): Promise<number> {
    const { rows } = await (trx ?? database).raw<{ rows: [{ bytes: number }] }>(sumStatement, {
      ownerId,
      since: since(),
    })
    return rows[0].bytes
  }

  async function stored(ownerId: string, trx: Transaction | undefined): Promise<number> {
    const at = performance.now()
    const found = known.get(ownerId)
    const isFresh = found !== undefined && at - found.at < freshMs
    const bytes = isFresh ? found.bytes : await read(ownerId, trx)
    if (!isFresh) known.set(ownerId, { bytes, at })
    return bytes + (added.get(ownerId) ?? 0)
  }

  const isFull = async (ownerId: string, limit: number, trx?: Transaction): Promise<boolean> =>
    Number.isFinite(limit) && (await stored(ownerId, trx)) >= limit

  const note = (ownerId: string, bytes: number): void => void added.set(ownerId, (added.get(ownerId) ?? 0) + bytes)

  return {
    isFull,
    note,

    /** Counts a run, an answer, a session or a direct call, plus the bytes of its text. */
    noteOne: (ownerId: string, bytes = 0): void => note(ownerId, rowBytes + bytes),

    /** Refuses an owner whose stored bytes have reached the tier's limit: FEATURE_LIMIT_REACHED. */
    async assertStorageLimit(ownerId: string, { tier, limits }: Pick<AccountStatus, 'tier' | 'limits'>): Promise<void> {
      if (!(await isFull(ownerId, limits.storedBytes))) return
      const { runRetentionDays: days } = config
      throw new CodedError('FEATURE_LIMIT_REACHED', {
        message: `The account has reached its storage limit of ${bytesInWords(limits.storedBytes)}${tier === null ? '' : ` on the ${tier} tier`} for payloads and tool results from the last ${days} days. ${tier === null ? 'Wait' : 'Subscribe to a higher tier, or wait'} until the oldest are deleted.`,
      })
    },

    async flush(): Promise<void> {
      if (added.size === 0) return
      const batch = added
      added = new Map()
      try {
        const bindings = { owners: [...batch.keys()], bytes: [...batch.values()], day: clock.now() }
        await database.raw(addStatement, bindings)
        for (const ownerId of batch.keys()) known.delete(ownerId)
      } catch (error) {
        for (const [ownerId, bytes] of batch) added.set(ownerId, (added.get(ownerId) ?? 0) + bytes)
        throw error
      }
    },

    /** Forgets cached sums and old days. */
    async purge(): Promise<void> {
      known.clear()
      await database.raw('delete from stored_bytes where day < :since::date', { since: since() })
    },
  }
}

export type StoredBytes = ReturnType<typeof createStoredBytes>

const sumStatement = `
  select coalesce(sum(bytes), 0)::float8 as bytes from stored_bytes
   where owner_id = :ownerId and day >= (:since::timestamptz at time zone 'utc')::date`

/** In the order of owners, like all code that adds for several, to avoid deadlocks. */
const addStatement = `
  insert into stored_bytes as known (owner_id, day, bytes)
  select owner_id, (:day::timestamptz at time zone 'utc')::date, bytes
    from unnest(:owners::uuid[], :bytes::bigint[]) as added (owner_id, bytes) order by owner_id
  on conflict (owner_id, day) do update set bytes = known.bytes + excluded.bytes`
