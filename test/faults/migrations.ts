import type { Fault } from './fault.ts'

/** Changes of the schema while everything runs. */
export const migrations: Fault[] = [
  {
    id: 'migrations/waits-as-long-as-it-takes',
    file: 'src/database/migrate.ts',
    find: "if (knex.isTransaction) await knex.raw(`set local lock_timeout = '${longestWait}s'`)",
    replace: 'await Promise.resolve(knex)',
    why: 'a migration behind a long reader stops all writers of the table',
    tests: ['test/src/database/migrate.test.ts'],
    match: 'a migration that a long reader*',
  },
  {
    id: 'migrations/waits-with-a-snapshot',
    file: 'src/database/migrate.ts',
    find: '`select pg_try_advisory_xact_lock(${lockNumber}) as taken`,',
    replace: "'select pg_try_advisory_xact_lock(?) as taken',\n    [lockNumber],",
    why: 'an index that is built concurrently waits for ever for the migration that builds it',
    tests: ['test/src/database/migrate.test.ts'],
    match: 'an index is built concurrently*',
  },
]
