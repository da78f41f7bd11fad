import type { Knex } from 'knex'

export const name = '202611290331-restores-checks'

/** Validation reads whole tables without blocking their writers, if the locks of the change before it are released. */
export const config = { transaction: false }

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table agents validate constraint agents_paused_reason')
  await knex.raw('alter table notifications validate constraint notifications_kind')
}

/** A validated check is no different from others. */
export const down = (): Promise<void> => Promise.resolve()
