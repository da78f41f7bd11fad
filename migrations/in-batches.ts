import type { Knex } from 'knex'

/** Repeats a statement that changes a thousand rows at most until it finds no more: nobody waits long for their locks. */
export async function inBatches(knex: Knex, statement: string): Promise<void> {
  for (;;) {
    const { rowCount } = await knex.raw<{ rowCount: number }>(statement)
    if (rowCount === 0) return
  }
}
