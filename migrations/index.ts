import type { Migration } from '../src/database/migrate.ts'
import * as traceContext from './202611290340-trace-context.ts'
import * as baseline from './baseline.ts'

/**
 * All changes of the schema, oldest first. Until 0.1.0 the baseline is edited in place. From then on new ones are added at the
 * end, and none is edited or renamed (docs/contribute/deploys.md, "Migrations").
 */
export const migrations: Migration[] = [baseline, traceContext]
