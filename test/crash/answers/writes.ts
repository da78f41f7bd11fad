import type { Database, Transaction } from '../../../src/database/database.ts'
import { hold, untilBlockedBy } from '../../helpers/hold.ts'

/** What can be made to wait: the write of an answer's second step, and of its end. */
export type Write = 'step' | 'end'

/** Lets the writes of an answer be held: each takes a lock of its own first. */
export const letWritesBeHeld = (database: Database) => database.raw(triggers)

/**
 * Makes a write of an answer wait. `waiting` resolves once it does, and `release` lets it go on, if its process is there to
 * go on.
 */
export async function holdWrite(database: Database, write: Write, answerId: string) {
  let held: Transaction | undefined
  const release = await hold(database, async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [`${write} ${answerId}`])
    held = trx
  })
  return { waiting: () => untilBlockedBy(database, held as Transaction), release }
}

/** Makes the ends of these answers wait. Returns the function that lets them go on. */
export const holdEnds = (database: Database, answerIds: string[]) =>
  hold(database, (trx) =>
    trx.raw("select pg_advisory_xact_lock(hashtext('end ' || id)) from unnest(:answerIds::text[]) as given(id)", {
      answerIds,
    }),
  )

const triggers = `
  create function wait_for_step() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtext('step ' || new.subject_id));
    return new;
  end $$;
  create trigger held_step before insert on steps for each row when (new.step = 2)
    execute function wait_for_step();
  create function wait_for_end() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtext('end ' || new.id));
    return new;
  end $$;
  create trigger held_end before update on chat_answers
    for each row when (old.ended_at is null and new.ended_at is not null) execute function wait_for_end()`
