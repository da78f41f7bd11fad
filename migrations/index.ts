import type { Migration } from '../src/database/migrate.ts'
import * as baseline from './baseline.ts'
import * as silence from './202611290310-silence.ts'
import * as silenceChecks from './202611290311-silence-checks.ts'
import * as canary from './202611290320-canary.ts'
import * as canaryChecks from './202611290321-canary-checks.ts'
import * as restores from './202611290330-restores.ts'
import * as restoresChecks from './202611290331-restores-checks.ts'
import * as traceContext from './202611290340-trace-context.ts'

/**
 * All changes of the schema, oldest first. New ones are added at the end, and none is ever edited or renamed
 * (docs/contribute/deploys.md, "Migrations").
 */
export const migrations: Migration[] = [
  baseline,
  silence,
  silenceChecks,
  canary,
  canaryChecks,
  restores,
  restoresChecks,
  traceContext,
]
