import { accounts } from './accounts.ts'
import { api } from './api.ts'
import { approvals } from './approvals.ts'
import { audit } from './audit.ts'
import { billing } from './billing.ts'
import { stripe } from './stripe.ts'
import { callbacks } from './callbacks.ts'
import { chatClients } from './chat-clients.ts'
import { chat } from './chat.ts'
import { deletions } from './deletions.ts'
import type { Fault } from './fault.ts'
import { injection } from './injection.ts'
import { lateParties } from './late-parties.ts'
import { ledger } from './ledger.ts'
import { live } from './live.ts'
import { longRuns } from './long-runs.ts'
import { migrations } from './migrations.ts'
import { moves } from './moves.ts'
import { oidc } from './oidc.ts'
import { outputs } from './outputs.ts'
import { plumbing } from './plumbing.ts'
import { providers } from './providers.ts'
import { reconcile } from './reconcile.ts'
import { runs } from './runs.ts'
import { schedules } from './schedules.ts'
import { sessions } from './sessions.ts'
import { shares } from './shares.ts'
import { sites } from './sites.ts'
import { storage } from './storage.ts'
import { tools } from './tools.ts'
import { signIn } from './sign-in.ts'
import { users } from './users.ts'
import { vault } from './vault.ts'
import { webhooks } from './webhooks.ts'
import { why } from './why.ts'
import { wiring } from './wiring.ts'
import { workflows } from './workflows.ts'

/** Every fault that `npm run faults` plants, by area. */
export const faults: Fault[] = [
  ...runs,
  ...approvals,
  ...audit,
  ...longRuns,
  ...live,
  ...outputs,
  ...reconcile,
  ...vault,
  ...webhooks,
  ...schedules,
  ...sessions,
  ...billing,
  ...ledger,
  ...stripe,
  ...callbacks,
  ...shares,
  ...sites,
  ...tools,
  ...users,
  ...signIn,
  ...moves,
  ...oidc,
  ...accounts,
  ...deletions,
  ...why,
  ...providers,
  ...api,
  ...workflows,
  ...plumbing,
  ...migrations,
  ...storage,
  ...injection,
  ...lateParties,
  ...chat,
  ...chatClients,
  ...wiring,
]
