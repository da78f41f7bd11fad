/**
 * Partial model answers for watchers of a run and readers of a chat. Deleted once the step is on record, and not needed
 * after a crash, so they skip the write-ahead log.
 */
export const liveWords = `
  create unlogged table live_watches (
    run_id uuid not null,
    until timestamptz not null,
    constraint live_watches_pkey primary key (run_id)
  ) with (fillfactor = 50);
  create unlogged table live_words (
    -- the run, or the answer of a chat
    subject_id uuid not null,
    step integer not null,
    -- of an answer: how often another process had gone on with it
    attempt integer not null,
    -- length of the attempt's text before these words
    position integer not null,
    words text not null,
    constraint live_words_pkey primary key (subject_id, step, attempt, position)
  );
`
