import type { Migration } from '../src/database/migrate.ts'
import * as baseline from './20261122000300-baseline.ts'
import * as directCallKeys from './20261123000100-direct-call-keys.ts'
import * as directCallIndexes from './20261123000200-direct-call-indexes.ts'
import * as places from './20261123000300-places.ts'
import * as callbackTurns from './20261123000310-callback-turns.ts'
import * as mergedHosts from './20261123000320-outgoing-hosts-merged.ts'
import * as hostsWithoutPorts from './20261123000325-outgoing-hosts-without-ports.ts'
import * as storedBytes from './20261123000330-stored-bytes.ts'
import * as inputHeaders from './20261123000400-input-headers.ts'
import * as lostSites from './20261123000410-lost-sites.ts'
import * as cancelledSubscriptions from './20261123000500-cancelled-subscriptions.ts'
import * as models from './20261123000600-models.ts'
import * as ledgerSigns from './20261123000610-ledger-signs.ts'
import * as liveWords from './20261123000620-live-words.ts'
import * as providerPlaces from './20261123000650-provider-places.ts'
import * as bytesPerToken from './20261123000660-bytes-per-token.ts'
import * as eventKinds from './20261123000665-event-kinds.ts'
import * as outputs from './20261123000680-outputs.ts'
import * as sessions from './20261123000700-sessions.ts'
import * as chat from './20261123000710-chat.ts'
import * as chatCharges from './20261123000715-chat-charges.ts'
import * as approvals from './20261123000720-approvals.ts'
import * as approvalEvents from './20261123000730-approval-events.ts'
import * as oneRunningAnswer from './20261123000740-one-running-answer.ts'
import * as owners from './20261123000800-owners.ts'
import * as ownersValidated from './20261123000805-owners-validated.ts'
import * as workspaces from './20261123000810-workspaces.ts'
import * as ownedKeys from './20261123000815-owned-keys.ts'
import * as ownedKeysIndexes from './20261123000820-owned-keys-indexes.ts'
import * as workspaceMonths from './20261123000825-workspace-months.ts'
import * as accessChanges from './20261123000826-access-changes.ts'
import * as outbox from './20261123000850-outbox.ts'
import * as accountTokens from './20261123000852-account-tokens.ts'
import * as loginDetails from './20261123000855-login-details.ts'
import * as loginList from './20261123000856-login-list.ts'
import * as admins from './20261123000857-admins.ts'
import * as movable from './20261123001000-movable.ts'
import * as movableIndexes from './20261123001010-movable-indexes.ts'
import * as revocations from './20261123001020-revocations.ts'
import * as secondFactors from './20261123001100-second-factors.ts'
import * as identities from './20261123001150-identities.ts'
import * as loginsByProvider from './20261123001152-logins-by-provider.ts'
import * as audit from './20261123001200-audit.ts'
import * as readNotifications from './20261123001205-read-notifications.ts'
import * as unreadNotifications from './20261123001206-unread-notifications.ts'
import * as money from './20261124000100-money.ts'
import * as moneyChecked from './20261124000110-money-checked.ts'
import * as addedCredits from './20261124000125-added-credits.ts'
import * as sandbox from './20261124000200-sandbox.ts'
import * as sandboxAccounts from './20261124000205-sandbox-accounts.ts'
import * as fittedAccounts from './20261124000215-fitted-accounts.ts'
import * as customers from './20261124000305-customers.ts'
import * as overdueNotifications from './20261125000100-overdue-notifications.ts'
import * as creditedPayments from './20261125000200-credited-payments.ts'
import * as leftMonths from './20261125000300-left-months.ts'
import * as topUpTimes from './20261125000310-top-up-times.ts'
import * as refundedMonths from './20261125000400-refunded-months.ts'
import * as billingRequests from './20261124000210-billing-requests.ts'
import * as stripeEvents from './20261124000300-stripe-events.ts'
import { conversion } from './conversion/conversion.ts'
import * as deletions from './20261123001050-deletions.ts'
import * as deletionIndexes from './20261123001055-deletion-indexes.ts'

/** All changes of the schema, oldest first. New ones are added at the end; none is edited or renamed once merged. */
export const migrations: Migration[] = [
  { ...baseline, name: '20261122000300-baseline', replaces: conversion },
  { ...directCallKeys, name: '20261123000100-direct-call-keys' },
  { ...directCallIndexes, name: '20261123000200-direct-call-indexes' },
  { ...places, name: '20261123000300-places' },
  { ...callbackTurns, name: '20261123000310-callback-turns' },
  { ...mergedHosts, name: '20261123000320-outgoing-hosts-merged' },
  { ...hostsWithoutPorts, name: '20261123000325-outgoing-hosts-without-ports' },
  { ...storedBytes, name: '20261123000330-stored-bytes' },
  { ...inputHeaders, name: '20261123000400-input-headers' },
  { ...lostSites, name: '20261123000410-lost-sites' },
  { ...cancelledSubscriptions, name: '20261123000500-cancelled-subscriptions' },
  { ...models, name: '20261123000600-models' },
  { ...ledgerSigns, name: '20261123000610-ledger-signs' },
  { ...liveWords, name: '20261123000620-live-words' },
  { ...providerPlaces, name: '20261123000650-provider-places' },
  { ...bytesPerToken, name: '20261123000660-bytes-per-token' },
  { ...eventKinds, name: '20261123000665-event-kinds' },
  { ...outputs, name: '20261123000680-outputs' },
  { ...sessions, name: '20261123000700-sessions' },
  { ...chat, name: '20261123000710-chat' },
  { ...chatCharges, name: '20261123000715-chat-charges' },
  { ...approvals, name: '20261123000720-approvals' },
  { ...approvalEvents, name: '20261123000730-approval-events' },
  { ...oneRunningAnswer, name: '20261123000740-one-running-answer' },
  { ...owners, name: '20261123000800-owners' },
  { ...ownersValidated, name: '20261123000805-owners-validated' },
  { ...workspaces, name: '20261123000810-workspaces' },
  { ...ownedKeys, name: '20261123000815-owned-keys' },
  { ...ownedKeysIndexes, name: '20261123000820-owned-keys-indexes' },
  { ...workspaceMonths, name: '20261123000825-workspace-months' },
  { ...accessChanges, name: '20261123000826-access-changes' },
  { ...outbox, name: '20261123000850-outbox' },
  { ...accountTokens, name: '20261123000852-account-tokens' },
  { ...loginDetails, name: '20261123000855-login-details' },
  { ...loginList, name: '20261123000856-login-list' },
  { ...admins, name: '20261123000857-admins' },
  { ...movable, name: '20261123001000-movable' },
  { ...movableIndexes, name: '20261123001010-movable-indexes' },
  { ...revocations, name: '20261123001020-revocations' },
  { ...deletions, name: '20261123001050-deletions' },
  { ...deletionIndexes, name: '20261123001055-deletion-indexes' },
  { ...secondFactors, name: '20261123001100-second-factors' },
  { ...identities, name: '20261123001150-identities' },
  { ...loginsByProvider, name: '20261123001152-logins-by-provider' },
  { ...audit, name: '20261123001200-audit' },
  { ...readNotifications, name: '20261123001205-read-notifications' },
  { ...unreadNotifications, name: '20261123001206-unread-notifications' },
  { ...money, name: '20261124000100-money' },
  { ...moneyChecked, name: '20261124000110-money-checked' },
  { ...addedCredits, name: '20261124000125-added-credits' },
  { ...sandbox, name: '20261124000200-sandbox' },
  { ...sandboxAccounts, name: '20261124000205-sandbox-accounts' },
  { ...billingRequests, name: '20261124000210-billing-requests' },
  { ...fittedAccounts, name: '20261124000215-fitted-accounts' },
  { ...stripeEvents, name: '20261124000300-stripe-events' },
  { ...customers, name: '20261124000305-customers' },
  { ...overdueNotifications, name: '20261125000100-overdue-notifications' },
  { ...creditedPayments, name: '20261125000200-credited-payments' },
  { ...leftMonths, name: '20261125000300-left-months' },
  { ...topUpTimes, name: '20261125000310-top-up-times' },
  { ...refundedMonths, name: '20261125000400-refunded-months' },
]
