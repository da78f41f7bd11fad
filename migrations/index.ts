import type { Migration } from '../src/database/migrate.ts'
import * as baseline from './baseline.ts'
import * as silence from './202611290310-silence.ts'
import * as silenceChecks from './202611290311-silence-checks.ts'

/**
 * All changes of the schema, oldest first. Until 0.1.0 the baseline is edited in place. From then on new ones are added at the
 * end, and none is edited or renamed (docs/contribute/deploys.md, "Migrations").
 */
export const migrations: Migration[] = [baseline, silence, silenceChecks]
