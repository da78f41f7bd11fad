import * as v from 'valibot'
import { startUrlOf } from '../src/sign-in/provider.ts'
import { requireLogin } from '../src/users/caller.ts'
import { route } from './route/route.ts'
import { password } from './schemas/auth-schema.ts'
import { field, named } from './schemas/documented.ts'
import { listOf, time } from './schemas/schemas.ts'
import { identity, presentIdentity, providerName, signInProvider } from './schemas/sign-in-schema.ts'

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'caller' } as const

export const listSignInProviders = route({
  tag: 'auth',
  access: 'anyone',
  name: 'listSignInProviders',
  method: 'get',
  path: '/auth/providers',
  summary: 'List the providers that sign people in',
  description: 'Those of the platform. A workspace may have one of its own, for its members.',
  status: 200,
  response: listOf(signInProvider),
  async handle({ services: { signIn, config } }) {
    const items = signIn.providers.installed.map(({ id, title }) => {
      return { provider: id, title, startUrl: startUrlOf(config.http.baseUrl, id) }
    })
    return { items }
  },
})

export const linkIdentity = route({
  ...shared,
  name: 'linkIdentity',
  audit: { not: 'Noted when the provider is linked.' },
  method: 'post',
  path: '/auth/identities',
  summary: 'Link a sign-in provider to the account',
  description:
    'Open `linkUrl` in your own browser within ten minutes, and sign in at the provider: from then on it signs you in. ' +
    'The provider of a workspace signs in to that workspace alone, and only its members can link it. Your address has ' +
    'to be verified.',
  body: v.strictObject({
    provider: providerName,
    currentPassword: v.optional(field(password, 'If the account has one')),
  }),
  status: 201,
  response: named(
    'StartedLink',
    v.object({
      linkUrl: field(
        v.string(),
        'To be opened in the browser of the person whose account it is',
        'https://switchyard.example.com/auth/oidc/go?ticket=an-example',
      ),
      expiresAt: field(time, 'Until when it can be finished'),
    }),
    'An attempt that has begun',
  ),
  codes: ['NOT_FOUND', 'WORKSPACE_REQUIRED', 'UNAUTHORIZED'],
  async handle({ services, caller, body, request }) {
    const { url, expiresAt } = await services.signIn.link(caller, body, request.address)
    return { linkUrl: url, expiresAt }
  },
})

export const listIdentities = route({
  ...shared,
  name: 'listIdentities',
  method: 'get',
  path: '/auth/identities',
  summary: 'List the linked sign-in providers',
  description: 'Newest first; there are 20 at most.',
  status: 200,
  response: listOf(identity),
  async handle({ services, caller }) {
    return { items: (await services.signIn.identities.list(caller.userId)).map(presentIdentity) }
  },
})

export const unlinkIdentity = route({
  ...shared,
  name: 'unlinkIdentity',
  audit: { subject: 'identity' },
  method: 'delete',
  path: '/auth/identities/{identityId}',
  summary: 'Unlink a sign-in provider',
  description:
    'Also ends the logins that it has opened, but the one of this request. Whoever has no password keeps one provider ' +
    'at least (`PERMISSION_DENIED`).',
  status: 204,
  look: ({ services, caller, params }) => services.signIn.identities.find(caller.userId, params.identityId),
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    const by = { userId: caller.userId, loginId: requireLogin(caller) }
    await services.signIn.identities.unlink(by, params.identityId)
    await services.accessChanges.note()
  },
})
