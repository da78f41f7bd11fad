import type { Knex } from 'knex'

/**
 * Words of models on their way to those who watch a run: gone as soon as the step is on record, and nothing that a crash
 * has to spare. Hence no write-ahead log.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    create unlogged table live_watches (
      run_id uuid not null,
      until timestamptz not null,
      constraint live_watches_pkey primary key (run_id)
    );
    create unlogged table live_words (
      run_id uuid not null,
      number bigint generated always as identity,
      step integer not null,
      attempt integer not null,
      written_at timestamptz not null,
      words text not null,
      constraint live_words_pkey primary key (run_id, number)
    );
    create index live_words_written_at on live_words (written_at)`)

export const down = (knex: Knex) => knex.raw('drop table live_words, live_watches')
