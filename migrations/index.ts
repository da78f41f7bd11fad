import type { Migration } from '../src/database/migrate.ts'
import * as users from './20261121000100-users.ts'
import * as billing from './20261121000200-billing.ts'
import * as vault from './20261121000300-vault.ts'
import * as agents from './20261121000400-agents.ts'
import * as runs from './20261121000500-runs.ts'
import * as rateLimits from './20261121000600-rate-limits.ts'
import * as sitesInRealLife from './20261121000700-sites-in-real-life.ts'
import * as vaultCanaries from './20261121000800-vault-canaries.ts'
import * as notifications from './20261121000900-notifications.ts'
import * as manifestChanges from './20261121001000-manifest-changes.ts'
import * as refreshHistory from './20261121001200-refresh-history.ts'
import * as triggers from './20261121001300-triggers.ts'
import * as owedFires from './20261121001400-owed-fires.ts'
import * as claimedBy from './20261121001500-claimed-by.ts'
import * as runsByState from './20261121001600-runs-by-state.ts'
import * as retention from './20261121001700-retention.ts'
import * as dueAgents from './20261122000100-due-agents.ts'
import * as attempts from './20261122000200-attempts.ts'

/** All changes of the schema, oldest first. New ones are added at the end; none is edited or renamed once merged. */
export const migrations: Migration[] = [
  { ...users, name: '20261121000100-users' },
  { ...billing, name: '20261121000200-billing' },
  { ...vault, name: '20261121000300-vault' },
  { ...agents, name: '20261121000400-agents' },
  { ...runs, name: '20261121000500-runs' },
  { ...rateLimits, name: '20261121000600-rate-limits' },
  { ...sitesInRealLife, name: '20261121000700-sites-in-real-life' },
  { ...vaultCanaries, name: '20261121000800-vault-canaries' },
  { ...notifications, name: '20261121000900-notifications' },
  { ...manifestChanges, name: '20261121001000-manifest-changes' },
  { ...refreshHistory, name: '20261121001200-refresh-history' },
  { ...triggers, name: '20261121001300-triggers' },
  { ...owedFires, name: '20261121001400-owed-fires' },
  { ...claimedBy, name: '20261121001500-claimed-by' },
  { ...runsByState, name: '20261121001600-runs-by-state' },
  { ...retention, name: '20261121001700-retention' },
  { ...dueAgents, name: '20261122000100-due-agents' },
  { ...attempts, name: '20261122000200-attempts' },
]
