import type { Knex } from 'knex'

export const config = { transaction: false }

/** What is recorded of a host with its port counts for the host. */
export async function up(knex: Knex): Promise<void> {
  await inBatches(knex, `delete from outgoing_hosts where host in (${withPort('host', 'outgoing_hosts')})`)
  await inBatches(
    knex,
    `update outgoing_slots set host = ${hostAlone} where id in (${withPort('id', 'outgoing_slots')})`,
  )
  await inBatches(
    knex,
    `update outgoing_waits set host = ${hostAlone} where call_id in (${withPort('call_id', 'outgoing_waits')})`,
  )
}

/** Nothing has to be done: which port a row was for is not known any more, and it counts for none. */
export const down = (): Promise<void> => Promise.resolve()

async function inBatches(knex: Knex, statement: string): Promise<void> {
  for (;;) {
    const { rowCount } = await knex.raw<{ rowCount: number }>(statement)
    if (rowCount === 0) return
  }
}

const hostAlone = `regexp_replace(host, ':[0-9]+$', '')`
const withPort = (key: string, table: string): string =>
  `select ${key} from ${table} where host ~ ':[0-9]+$' limit 1000`
