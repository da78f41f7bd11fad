import { backups } from './backups.ts'
import { canary } from './canary.ts'
import { clock } from './clock.ts'
import { connections } from './connections.ts'
import { disk } from './disk.ts'
import { loops } from './loops.ts'
import { models } from './models.ts'
import { pooler } from './pooler.ts'
import { postgresSettings } from './postgres-settings.ts'
import { postgres } from './postgres.ts'
import { processes } from './processes.ts'
import { program } from './program.ts'
import { schema } from './schema.ts'
import { spending } from './spending.ts'
import { attributes, shards, temporal } from './temporal.ts'
import { vaultKeys } from './vault-keys.ts'
import { versions } from './versions.ts'
import { workers } from './workers.ts'

/** Checks that need no look from outside: the API makes them for GET /admin/health, and so does the doctor. */
export const installationChecks = [
  program,
  postgres,
  postgresSettings,
  pooler,
  connections,
  disk,
  schema,
  clock,
  vaultKeys,
  temporal,
  attributes,
  shards,
  workers,
  versions,
  processes,
  loops,
  canary,
  models,
  spending,
  backups,
] as const
