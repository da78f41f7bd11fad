import type { Migration } from '../src/database/migrate.ts'
import * as restores from './202611290330-restores.ts'
import * as restoresChecks from './202611290331-restores-checks.ts'
import * as baseline from './baseline.ts'

/**
 * All changes of the schema, oldest first. New ones are added at the end, and none is ever edited or renamed
 * (docs/contribute/deploys.md, "Migrations").
 */
export const migrations: Migration[] = [baseline, restores, restoresChecks]
