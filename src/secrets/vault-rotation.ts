import pMap from 'p-map'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { nameOfColumn, sealedColumns, type SealedColumn } from './sealed-columns.ts'
import { createSealing } from './sealing.ts'
import { VaultCanary } from './vault-canary.ts'

/** A value that no configured key opens. */
interface UnreadableValue {
  table: string
  id: string
  /** The name of the key it is sealed under; `unknown` where it does not look like a sealed value. */
  keyName: string
}

/** What a rotation has done. */
export interface RotationReport {
  /** How many values are sealed under the current key now that were not before. */
  rotated: number
  unreadable: UnreadableValue[]
  /** Configured keys, other than the current one, that nothing is sealed under. */
  removable: string[]
}

/** Of one column: how many values were looked at, of how many. */
export type TellProgress = (column: string, done: number, total: number) => void

interface SealedRow {
  id: string
  value: string
}

interface Pass {
  rotated: number
  /** Values that somebody else changed between the look and the update. */
  changed: number
  unreadable: UnreadableValue[]
}

const batchSize = 200
/** How many rows at once: enough to hide the way to Postgres, few enough to leave it to those who serve. */
const concurrency = 4

/**
 * Seals everything anew under the current key, while others read and write. It keeps no state: what is left to do is
 * what is not under the current key, so it can be interrupted, repeated, and run several times at once.
 */
export function createVaultRotation(context: {
  database: Database
  clock: Clock
  keys: Config['vaultKeys']
  tell: TellProgress
}) {
  const { database, clock, keys, tell } = context
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
   * One row, in a statement of its own: whoever holds one lock only cannot take part in a deadlock. Nothing is
   * overwritten that was not read here: the old value is compared.
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
    for (let after = ''; ;) {
      const rows = await nextBatch(sealed, after)
      const last = rows.at(-1)
      if (!last) return
      await pMap(rows, (row) => rotateRow(sealed, row, pass), { concurrency })
      after = last.id
      done += rows.length
      // Others may have added to it meanwhile.
      tell(nameOfColumn(sealed), done, Math.max(done, total))
    }
  }

  /**
   * Rotates until a pass over everything finds nothing to do: processes that have another key first go on writing.
   * Whether the keys are right must have been proved before. Fails only with what Postgres throws.
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

  /** Keys that nothing is sealed under any more need not be configured at the next start. */
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

/** Never more of a value than what is surely the name of a key. */
const keyNameOf = (value: string): string => /^([\w-]{1,32})\./.exec(value)?.[1] ?? 'unknown'
