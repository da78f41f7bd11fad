import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What is purged is looked for oldest first, a few rows at a time: a B-tree has them in that order and stops after
    -- them. A BRIN index would have every old row read and sorted for each batch, and rows do not lie in the order of
    -- their ends anyway: space that was purged is used again. Partial: a run that is accepted is not in it.
    create index runs_ended_list on runs (ended_at) where ended_at is not null;
    create index tool_calls_ended_direct on tool_calls (ended_at) where origin = 'direct' and ended_at is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index tool_calls_ended_direct; drop index runs_ended_list')
}
