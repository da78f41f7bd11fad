import { leastId } from '../ids.ts'
import pMap from 'p-map'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { nameOfColumn, sealedColumns, type SealedColumn } from './sealed-columns.ts'
import { createSealing } from './sealing.ts'
import { VaultCanary } from './vault-canary.ts'

interface UnreadableValue {
  table: string
  id: string
  /** The key it is sealed under; `unknown` if it does not look like a sealed value. */
  keyName: string
}

export interface RotationReport {
  rotated: number
  unreadable: UnreadableValue[]
  /** Configured keys, except the current one, that seal nothing. */
  removable: string[]
}

export type OnProgress = (column: string, done: number, total: number) => void

interface SealedRow {
  id: string
  value: string
}

interface Pass {
  rotated: number
  changed: number
  unreadable: UnreadableValue[]
}

const batchSize = 200
/** Rows in parallel: enough to hide the latency of Postgres, few enough not to slow the platform. */
const concurrency = 4

/**
 * Reseals everything under the current key, while others read and write. It keeps no state: any value under another key
 * is left to do. So it can be interrupted, repeated and run in parallel.
 */
export function createVaultRotation(context: {
  database: Database
  clock: Clock
  keys: Config['vaultKeys']
  onProgress: OnProgress
}) {
  const { database, clock, keys, onProgress } = context
  const sealing = createSealing(keys)
  const current = keys[0]?.name ?? ''
  const prefix = `${current}.`

  async function left({ table, column }: SealedColumn): Promise<number> {
    const { rows } = await database.raw<{ rows: { count: number }[] }>(
      `select count(*) as count from ${table} where not starts_with(${column}, :prefix)`,
      { prefix },
    )
    return rows[0]?.count ?? 0
  }

  async function leftInAll(): Promise<number> {
    const counts = await Promise.all(sealedColumns.map(left))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async function nextBatch({ table, column }: SealedColumn, after: string): Promise<SealedRow[]> {
    const { rows } = await database.raw<{ rows: SealedRow[] }>(
      `select id, ${column} as value from ${table}
        where id > :after and not starts_with(${column}, :prefix) order by id limit :batchSize`,
      { after, prefix, batchSize },
    )
    return rows
  }

  /**
   * Updates one row in its own statement: with a single lock, it cannot take part in a deadlock. The update compares
   * the old value, so it overwrites only the value that was read here.
   */
  async function rotateRow({ table, column }: SealedColumn, row: SealedRow, pass: Pass): Promise<void> {
    const resealed = reseal({ id: row.id, column: `${table}.${column}` }, row.value)
    if (resealed === undefined) {
      pass.unreadable.push({ table, id: row.id, keyName: keyNameOf(row.value) })
      return
    }
    const { rowCount } = await database.raw<{ rowCount: number }>(
      `update ${table} set ${column} = :resealed where id = :id and ${column} = :value`,
      { resealed, ...row },
    )
    if (rowCount === 1) pass.rotated += 1
    else pass.changed += 1
  }

  function reseal(place: { id: string; column: string }, value: string): string | undefined {
    try {
      return sealing.seal(sealing.open(value, place), place)
    } catch {
      return undefined
    }
  }

  async function rotateColumn(sealed: SealedColumn, pass: Pass): Promise<void> {
    const total = await left(sealed)
    let done = 0
    for (let after = leastId; ;) {
      const rows = await nextBatch(sealed, after)
      const last = rows.at(-1)
      if (!last) return
      await pMap(rows, (row) => rotateRow(sealed, row, pass), { concurrency })
      after = last.id
      done += rows.length
      // Others may have added rows.
      onProgress(nameOfColumn(sealed), done, Math.max(done, total))
    }
  }

  /**
   * Rotates until a full pass finds nothing to do, because processes with another current key keep writing. The keys
   * must have been proved. Throws only errors of Postgres.
   */
  async function rotate(): Promise<RotationReport> {
    let rotated = 0
    for (;;) {
      const pass: Pass = { rotated: 0, changed: 0, unreadable: [] }
      for (const sealed of sealedColumns) await rotateColumn(sealed, pass)
      rotated += pass.rotated
      if (pass.rotated + pass.changed > 0 || (await leftInAll()) > pass.unreadable.length) continue
      await retireUnused()
      return { rotated, unreadable: pass.unreadable, removable: await removable() }
    }
  }

  /** Retires unused keys. They need not be configured at the next start. */
  async function retireUnused(): Promise<void> {
    const unused = sealedColumns
      .map(({ table, column }) => `not exists (select from ${table} where starts_with(${column}, key_name || '.'))`)
      .join(' and ')
    await database.raw(
      `update vault_canaries set retired_at = :now where key_name <> :current and retired_at is null and ${unused}`,
      { now: clock.now(), current },
    )
  }

  async function removable(): Promise<string[]> {
    const canaries = await VaultCanary.query(database).whereNotNull('retiredAt')
    const retired = new Set(canaries.map(({ keyName }) => keyName))
    return keys.map(({ name }) => name).filter((name) => name !== current && retired.has(name))
  }

  return { rotate }
}

/** The key's name, or `unknown`. No other part of a value is ever shown. */
const keyNameOf = (value: string): string => /^([\w-]{1,32})\./.exec(value)?.[1] ?? 'unknown'
