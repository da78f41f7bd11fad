import type { Database } from '../../database/database.ts'
import { failing, fine, type Check, type Finding } from '../finding.ts'
import { poolerFix } from './postgres.ts'

/** A connection of the pool, with the session's number as it was announced. */
interface Connection {
  processID?: number
}

interface Session {
  pid: number
  statement: string
  idle: string
}

/** Whether a pooler stands in front of Postgres, and drops the deadlines that our sessions start with. */
export const pooler: Check<{ database: Database }> = {
  name: 'pooler',
  needs: ['postgres'],
  async look({ database }) {
    const client = database.client as PoolClient
    const connection = await client.acquireConnection()
    try {
      const { rows } = await database.raw<{ rows: [Session] }>(sessionStatement).connection(connection)
      return judge(rows[0], rows[0].pid === connection.processID)
    } finally {
      await client.releaseConnection(connection)
    }
  },
}

interface PoolClient {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

const sessionStatement = `
  select pg_backend_pid() as pid, current_setting('statement_timeout') as statement,
         current_setting('idle_in_transaction_session_timeout') as idle`

function judge({ statement, idle }: Session, isOwn: boolean): Finding {
  const ignored = [
    ...(statement === '0' ? ['statement_timeout'] : []),
    ...(idle === '0' ? ['idle_in_transaction_session_timeout'] : []),
  ]
  const where = isOwn ? 'Postgres' : 'The pooler in front of Postgres (such as PgBouncer)'
  if (ignored.length > 0)
    return failing(
      `${where} ignores ${ignored.join(' and ')}, so a frozen process keeps its locks.`,
      isOwn ? 'Connect without a program that drops these parameters.' : `Set ${poolerFix}`,
    )
  return fine(
    isOwn ? 'Connections lead to Postgres directly.' : 'A pooler is in front of Postgres, with our deadlines.',
  )
}
