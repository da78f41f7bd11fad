import * as accountMails from './account-mails.ts'
import * as admin from './admin.ts'
import * as adminClock from './admin-clock.ts'
import * as adminCredits from './admin-credits.ts'
import * as adminHealth from './admin-health.ts'
import * as adminOverview from './admin-overview.ts'
import * as adminUsers from './admin-users.ts'
import * as agentReplays from './agent-replays.ts'
import * as agentRuns from './agent-runs.ts'
import * as agentSecrets from './agent-secrets.ts'
import * as agentVersions from './agent-versions.ts'
import * as agents from './agents.ts'
import * as apiKeys from './api-keys.ts'
import * as apps from './apps.ts'
import * as approvals from './approvals.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as billing from './billing.ts'
import * as calls from './calls.ts'
import * as catalogue from './catalogue.ts'
import * as chat from './chat.ts'
import * as callbacks from './callbacks.ts'
import * as documents from './documents.ts'
import * as exports from './exports.ts'
import * as firstAdmin from './first-admin.ts'
import * as health from './health.ts'
import * as invitations from './invitations.ts'
import * as jwks from './jwks.ts'
import * as logins from './logins.ts'
import * as manifests from './manifests.ts'
import * as members from './members.ts'
import * as models from './models.ts'
import * as moves from './moves.ts'
import * as needs from './needs.ts'
import * as notificationWebhooks from './notification-webhooks.ts'
import * as notifications from './notifications.ts'
import * as oauthBrowser from './oauth-browser.ts'
import * as oauthClient from './oauth-client.ts'
import * as oauth from './oauth.ts'
import * as ownMetrics from './own-metrics.ts'
import * as outbox from './outbox.ts'
import * as refreshes from './refreshes.ts'
import * as payments from './payments.ts'
import * as paymentSetup from './payment-setup.ts'
import * as refusedDeliveries from './refused-deliveries.ts'
import * as runEndings from './run-endings.ts'
import * as runDelivery from './run-delivery.ts'
import * as runEvents from './run-events.ts'
import * as runFailures from './run-failures.ts'
import * as runs from './runs.ts'
import * as schedules from './schedules.ts'
import * as sessions from './sessions.ts'
import * as statements from './statements.ts'
import * as signIn from './sign-in.ts'
import * as signInBrowser from './sign-in-browser.ts'
import * as siteInspection from './site-inspection.ts'
import * as stripeWebhook from './stripe-webhook.ts'
import * as templates from './templates.ts'
import * as toolsiteSchema from './schemas/toolsite-schema.ts'
import * as testDeliveries from './test-deliveries.ts'
import * as totp from './totp.ts'
import * as transfers from './transfers.ts'
import * as vault from './vault.ts'
import * as webhooks from './webhooks.ts'
import * as why from './why.ts'
import * as workspaceSignIn from './workspace-sign-in.ts'
import * as workspaces from './workspaces.ts'
import type { AnyRoute } from './route/route.ts'

export const routes: AnyRoute[] = [
  auth,
  accountMails,
  firstAdmin,
  logins,
  totp,
  jwks,
  apiKeys,
  apps,
  workspaces,
  exports,
  members,
  invitations,
  transfers,
  moves,
  workspaceSignIn,
  signIn,
  signInBrowser,
  billing,
  statements,
  paymentSetup,
  stripeWebhook,
  payments,
  catalogue,
  vault,
  calls,
  siteInspection,
  documents,
  refreshes,
  oauth,
  oauthBrowser,
  oauthClient,
  manifests,
  models,
  agents,
  agentVersions,
  agentReplays,
  agentRuns,
  agentSecrets,
  refusedDeliveries,
  testDeliveries,
  templates,
  sessions,
  // The router takes the first match, and `/runs/{runId}` matches their paths.
  runFailures,
  runEndings,
  runs,
  runEvents,
  runDelivery,
  approvals,
  schedules,
  callbacks,
  chat,
  why,
  webhooks,
  needs,
  ownMetrics,
  notifications,
  notificationWebhooks,
  admin,
  adminClock,
  adminHealth,
  adminOverview,
  adminCredits,
  adminUsers,
  outbox,
  audit,
  health,
  toolsiteSchema,
].flatMap((noun) => Object.values<AnyRoute>(noun as unknown as Record<string, AnyRoute>))
