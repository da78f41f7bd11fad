import type { Database } from '../../database/database.ts'
import { reasonOf } from '../examine.ts'
import { failing, fine, type Check, type Finding } from '../finding.ts'

/** Whether Postgres answers. */
export const postgres: Check<{ database: Database }> = {
  name: 'postgres',
  async look({ database }) {
    try {
      await database.raw('select 1')
      return fine('Postgres answers.')
    } catch (error) {
      return unreached(error)
    }
  },
}

function unreached(error: unknown): Finding {
  const { message = '' } = error as { message?: string }
  // PgBouncer's sentence; it has no code of its own.
  if (/unsupported startup parameter/.test(message))
    return failing(
      'The pooler in front of Postgres refuses our connections, because of parameters that it does not know.',
      `Set ${poolerFix}`,
    )
  const [, what, fix] = reasons.find(([pattern]) => pattern.test(reasonOf(error))) ?? [
    /.^/,
    'Postgres cannot be reached',
    'Start Postgres, and check the host and the port in DATABASE_URL.',
  ]
  return failing(`${what} (${reasonOf(error)}).`, fix)
}

const reasons: [RegExp, string, string][] = [
  [/^28/, 'Postgres refuses the user or the password of DATABASE_URL', 'Correct DATABASE_URL.'],
  [/^3D/, 'The database of DATABASE_URL does not exist', 'Create it, and run: npm run migrate'],
  [
    /^(53300|KnexTimeoutError)$/,
    'Postgres has no free connection',
    'Stop a process, lower DATABASE_POOL, or raise max_connections.',
  ],
]

/** What PgBouncer needs in its settings (docs/operate/second-machine.md). */
export const poolerFix =
  "ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout and connect_query='set statement_timeout = ''30s''; set idle_in_transaction_session_timeout = ''5s''' in PgBouncer. See docs/operate/second-machine.md."
