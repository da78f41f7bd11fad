import type { Database } from '../../database/database.ts'
import { failing, fine, warning, type Check } from '../finding.ts'

interface Connections {
  most: number
  used: number
}

/** Free connections of the server, without those that only a superuser gets. */
export const connections: Check<{ database: Database; config: { database: { pool: number } } }> = {
  name: 'connections',
  needs: ['postgres'],
  async look({ database, config }) {
    const { rows } = await database.raw<{ rows: [Connections] }>(connectionsStatement)
    const [{ most, used }] = rows
    const { pool } = config.database
    const free = most - used
    const message = `${used} of ${most} connections to Postgres are in use.`
    if (free < 3) return failing(message, fix)
    if (free < pool) return warning(`${message} Another process may need ${pool} (DATABASE_POOL).`, fix)
    return fine(message)
  },
}

const fix =
  'Raise max_connections, stop a process, or lower DATABASE_POOL. docs/operate/second-machine.md has the arithmetic.'

const connectionsStatement = `
  select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - current_setting('reserved_connections')::int as most,
         -- The kind of other users' sessions is hidden from us. Each session of a client has a database.
         (select count(*)::int from pg_stat_activity where datname is not null) as used`
