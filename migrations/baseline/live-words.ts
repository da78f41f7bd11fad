/**
 * Words of models on their way to those who watch a run: gone as soon as the step is on record, and nothing that a crash
 * has to spare. Hence no write-ahead log.
 */
export const liveWords = `
  create unlogged table live_watches (
    run_id uuid not null,
    until timestamptz not null,
    constraint live_watches_pkey primary key (run_id)
  ) with (fillfactor = 50);
  create unlogged table live_words (
    run_id uuid not null,
    step integer not null,
    attempt integer not null,
    -- how long the text of the attempt is before these words
    position integer not null,
    words text not null,
    constraint live_words_pkey primary key (run_id, step, attempt, position)
  );
`
