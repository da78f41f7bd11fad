import type { ExecutionContext } from 'ava'
import * as health from '../../api/health.ts'
import * as jwks from '../../api/jwks.ts'
import * as models from '../../api/models.ts'
import * as toolsiteSchema from '../../api/schemas/toolsite-schema.ts'
import { adminTable } from './provokers/admin.ts'
import { agentsTable } from './provokers/agents.ts'
import { approvalsTable } from './provokers/approvals.ts'
import { authTable } from './provokers/auth.ts'
import { billingTable } from './provokers/billing.ts'
import { chatTable } from './provokers/chat.ts'
import { callbacksTable } from './provokers/callbacks.ts'
import { manifestsTable } from './provokers/manifests.ts'
import { notificationsTable } from './provokers/notifications.ts'
import { movesTable } from './provokers/moves.ts'
import { oauthTable } from './provokers/oauth.ts'
import { runsTable } from './provokers/runs.ts'
import { schedulesTable } from './provokers/schedules.ts'
import { sessionsTable } from './provokers/sessions.ts'
import type { Table } from './provokers/table.ts'
import { signInTable } from './provokers/sign-in.ts'
import { stripeTable } from './provokers/stripe.ts'
import { vaultTable } from './provokers/vault.ts'
import { webhooksTable } from './provokers/webhooks.ts'
import { workspacesTable } from './provokers/workspaces.ts'
import type { Recorder } from './recorder.ts'
import type { Spender } from './spender.ts'
import type { Stage } from './stage.ts'

/** Every route's success, and its codes that depend on more than its declaration. A new noun adds its table here. */
export function provokersByName(t: ExecutionContext, stage: Stage, recorder: Recorder, spender: Spender): Table {
  return {
    ...authTable(stage, recorder),
    ...billingTable(stage, recorder),
    ...vaultTable(stage, recorder),
    ...oauthTable(stage, recorder),
    ...manifestsTable(stage, recorder),
    ...agentsTable(stage, recorder, spender),
    ...runsTable(stage, recorder, spender),
    ...approvalsTable(stage, recorder),
    ...notificationsTable(stage, recorder),
    ...schedulesTable(stage, recorder),
    ...sessionsTable(stage, recorder),
    ...chatTable(t, stage, recorder, spender),
    ...callbacksTable(stage, recorder),
    ...workspacesTable(stage, recorder),
    ...movesTable(stage, recorder),
    ...signInTable(stage, recorder),
    ...stripeTable(t, stage, recorder),
    ...webhooksTable(stage, recorder, spender),
    ...adminTable(stage, recorder),
    listModels: { done: () => recorder.ask(stage.owner, models.listModels) },
    readToolsiteSchema: { done: () => recorder.ask(stage.nobody, toolsiteSchema.readToolsiteSchema) },
    readSigningKeys: { done: () => recorder.ask(stage.nobody, jwks.readSigningKeys) },
    healthz: { done: () => recorder.ask(stage.nobody, health.healthz) },
    readyz: { done: () => recorder.ask(stage.nobody, health.readyz) },
  }
}
