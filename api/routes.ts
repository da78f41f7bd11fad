import * as agents from './agents.ts'
import * as auth from './auth.ts'
import * as billing from './billing.ts'
import * as health from './health.ts'
import type { AnyRoute } from './route.ts'
import * as runs from './runs.ts'
import * as vault from './vault.ts'
import * as webhooks from './webhooks.ts'

/** Every route of the platform. */
export const routes: AnyRoute[] = [auth, billing, vault, agents, runs, webhooks, health].flatMap((noun) =>
  Object.values<AnyRoute>(noun as unknown as Record<string, AnyRoute>),
)
