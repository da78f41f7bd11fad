import type { Knex } from 'knex'
import type { Copy } from './copies.ts'

/** Pages of 8 KiB that one statement copies; with large payloads, that is some seconds' work. */
const pagesPerBatch = 1024

/** Copies the rows of one table in the order in which they lie on disk, and says how far it is if that takes long. */
export async function copyTable(
  trx: Knex.Transaction,
  oldSchema: string,
  copy: Copy,
  say: (text: string) => void,
): Promise<void> {
  const { table, from = table } = copy
  const statement = await statementOf(trx, oldSchema, copy)
  const pages = await pagesOf(trx, `${oldSchema}.${from}`)
  let said = 0
  for (let page = 0; page < pages; page += pagesPerBatch) {
    try {
      await trx.raw(statement, [`(${page},0)`, `(${page + pagesPerBatch},0)`])
    } catch (error) {
      throw new Error(`The rows of ${from} cannot be converted, so nothing was changed: ${reasonOf(error)}`, {
        cause: error,
      })
    }
    const percent = 5 * Math.floor((20 * Math.min(page + pagesPerBatch, pages)) / pages)
    if (percent > said && pages > pagesPerBatch) say(`Converting ${table}: ${percent} %`)
    said = percent
  }
  await trx.raw('analyze ??', [table])
}

/** Without the statement, with which knex begins its messages. */
const reasonOf = (error: unknown): string => (error as Error).message.replace(/^[\s\S]* - /, '')

async function statementOf(
  trx: Knex.Transaction,
  oldSchema: string,
  { table, from = table, where = 'true', columns = {} }: Copy,
): Promise<string> {
  const wanted = (await columnsOf(trx, table)).filter(({ name }) => columns[name] !== null)
  const names = wanted.map(({ name }) => `"${name}"`).join(', ')
  const values = wanted.map(({ name, type }) => `(${columns[name] ?? `"${name}"`})::${type}`).join(', ')
  return `insert into ${table} (${names}) select ${values} from ${oldSchema}.${from}
           where ctid >= ?::tid and ctid < ?::tid and (${where})`
}

async function columnsOf(trx: Knex.Transaction, table: string): Promise<{ name: string; type: string }[]> {
  const { rows } = await trx.raw<{ rows: { name: string; type: string }[] }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
       from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  )
  return rows
}

async function pagesOf(trx: Knex.Transaction, table: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ pages: number }] }>(
    `select pg_relation_size(?::regclass) / current_setting('block_size')::int as pages`,
    [table],
  )
  return rows[0].pages
}
