import { authenticate } from '../../api/route/authenticate.ts'
import { permit } from '../../api/route/permit.ts'
import { scopeOf } from '../../api/route/route-rules.ts'
import { createStripeWebhook } from '../../src/billing/gateways/stripe/webhook.ts'
import { assertThat } from '../../src/errors.ts'
import { endSessions } from '../../src/sessions/session.ts'
import { createKeys } from '../../src/sign-in/keys.ts'
import { requireAdmin } from '../../src/users/caller.ts'
import { createLogins } from '../../src/users/logins.ts'
import { createOAuthReturn } from '../../src/vault/oauth/oauth-return.ts'
import { problemOfProof } from '../../src/webhooks/proofs.ts'
import { createInvitations } from '../../src/workspaces/invitations.ts'
import { createMembers } from '../../src/workspaces/members.ts'
import { always, calling, instead, without } from './edits.ts'
import { within, type Fault } from './fault.ts'

/** Somebody may do what they may not, because a check of who they are or what they may do is missing. */
export const permissions: Fault[] = [
  {
    id: 'permissions/reader-writes',
    in: scopeOf,
    edit: instead("'read'", 'ConditionalExpression'),
    why: 'an API key that may only read changes things',
    tests: ['test/api/permissions.test.ts'],
  },
  {
    id: 'permissions/everybody-is-admin',
    in: permit,
    edit: without(`IfStatement:has(${calling(requireAdmin)})`),
    why: 'everybody suspends hosts',
    tests: ['test/api/permissions.test.ts'],
  },
  {
    id: 'permissions/cookie-alone',
    in: authenticate,
    edit: always(false, 'IfStatement > LogicalExpression[right.right.value="get"]'),
    why: 'a form on any page acts for whoever opens it',
    tests: ['test/api/login-cookies.test.ts'],
  },
  {
    id: 'permissions/stolen-login-lives-on',
    ...within(createLogins, 'refresh'),
    edit: without(`IfStatement ${calling('revoke')}`),
    why: 'whoever has stolen a refresh token keeps the login',
    tests: ['test/src/users/users.test.ts'],
  },
  {
    id: 'permissions/unsigned-id-token',
    in: createKeys,
    edit: instead('Promise.resolve()', calling('validateApplicationLevelSignature')),
    why: 'an ID token that anybody has signed is believed',
    tests: ['test/sign-in/hostile-provider.test.ts'],
  },
  {
    id: 'permissions/flow-of-another-browser',
    in: createOAuthReturn,
    edit: without('BinaryExpression:has([property.name="bindingHash"])'),
    why: "an attacker's browser finishes to connect a site that somebody else has begun to connect",
    tests: ['test/api/oauth-battery.test.ts'],
  },
  {
    id: 'permissions/old-signature',
    in: problemOfProof,
    edit: without('IfStatement:has([property.name="timestamp"])'),
    why: 'a delivery that was overheard can be sent again for ever',
    tests: ['test/src/webhooks/proofs.test.ts'],
  },
  {
    id: 'permissions/stripe-unsigned',
    in: createStripeWebhook,
    edit: without(calling('verifyHeader')),
    why: 'anybody tells the platform what was paid',
    tests: ['test/api/stripe.test.ts'],
  },
  {
    id: 'permissions/invitation-of-another',
    in: createInvitations,
    edit: without(`${calling(assertThat)}[arguments.1.value="PERMISSION_DENIED"]`),
    why: 'an invitation lets in whoever has got hold of it',
    tests: ['test/workspaces/invitations.test.ts'],
  },
  {
    id: 'permissions/removed-chat-on',
    ...within(createMembers, 'removeMember'),
    edit: without(calling(endSessions)),
    why: 'a member who was removed chats on with the sites of the workspace',
    tests: ['test/workspaces/removed.test.ts'],
  },
]
