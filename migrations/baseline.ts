import type { Knex } from 'knex'
import { accepting } from './baseline/accepting.ts'
import { agents } from './baseline/agents.ts'
import { apps } from './baseline/apps.ts'
import { approvals } from './baseline/approvals.ts'
import { arrivals } from './baseline/arrivals.ts'
import { audit } from './baseline/audit.ts'
import { billing } from './baseline/billing.ts'
import { chat } from './baseline/chat.ts'
import { credits } from './baseline/credits.ts'
import { deletions } from './baseline/deletions.ts'
import { liveWords } from './baseline/live-words.ts'
import { logins } from './baseline/logins.ts'
import { messages } from './baseline/messages.ts'
import { outages } from './baseline/outages.ts'
import { outbox } from './baseline/outbox.ts'
import { processes } from './baseline/processes.ts'
import { runs } from './baseline/runs.ts'
import { sandbox } from './baseline/sandbox.ts'
import { schedules } from './baseline/schedules.ts'
import { sessions } from './baseline/sessions.ts'
import { signIn } from './baseline/sign-in.ts'
import { stripe } from './baseline/stripe.ts'
import { timelines } from './baseline/timelines.ts'
import { toolCalls } from './baseline/tool-calls.ts'
import { types } from './baseline/types.ts'
import { users } from './baseline/users.ts'
import { vault } from './baseline/vault.ts'
import { workspaces } from './baseline/workspaces.ts'
import { schemaHash } from './schema-hash.ts'

/** The whole schema. Tables come before those that refer to them. */
const parts = [
  types,
  users,
  workspaces,
  logins,
  signIn,
  apps,
  billing,
  credits,
  sandbox,
  stripe,
  vault,
  agents,
  runs,
  outages,
  timelines,
  liveWords,
  toolCalls,
  sessions,
  chat,
  approvals,
  schedules,
  messages,
  outbox,
  audit,
  deletions,
  processes,
  arrivals,
  accepting,
]

/**
 * Ends with a hash of the schema. Before the baseline was frozen, it was edited in place. The name tells databases of those
 * days apart.
 */
export const name = `baseline-${schemaHash(parts.join('\n'))}`

export async function up(knex: Knex): Promise<void> {
  for (const part of parts) await knex.raw(part)
  await knex.raw(`select ensure_partitions(now(), now() + interval '14 days')`)
}

/** The baseline has no predecessor. */
export function down(): Promise<void> {
  throw new Error('The baseline cannot be rolled back: everything would be deleted. Drop the database instead.')
}
