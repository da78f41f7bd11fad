import * as v from 'valibot'
import { startUrlOf } from '../src/sign-in/provider.ts'
import { requireLogin } from '../src/users/caller.ts'
import { route } from './route/route.ts'
import { code, password } from './schemas/auth-schema.ts'
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
  summary: 'List sign-in providers',
  description: "Lists the platform's providers. A workspace can have its own provider for its members.",
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
  limit: 'address',
  name: 'linkIdentity',
  audit: { not: 'Recorded when the provider is linked.' },
  method: 'post',
  path: '/auth/identities',
  summary: 'Link a sign-in provider',
  description:
    "Open `linkUrl` in your browser within ten minutes and sign in with the provider. From then on, you can sign in with that provider. A workspace's provider signs members in to that workspace only. Requires a verified email address.",
  body: v.strictObject({
    provider: providerName,
    currentPassword: v.optional(field(password, 'Password, if the account has one')),
    code: v.optional(field(code, 'Code, if the account has an authenticator app')),
  }),
  status: 201,
  response: named(
    'StartedLink',
    v.object({
      linkUrl: field(
        v.string(),
        "URL to open in the account holder's browser",
        'https://switchyard.example.com/auth/oidc/go?ticket=an-example',
      ),
      expiresAt: field(time, 'When the link expires'),
    }),
    'Pending link to a provider',
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
  summary: 'List linked sign-in providers',
  description: 'Lists up to 20 providers, newest first.',
  status: 200,
  response: listOf(identity),
  async handle({ services, caller }) {
    return { items: (await services.signIn.identities.list(caller.userId)).map(presentIdentity) }
  },
})

export const unlinkIdentity = route({
  ...shared,
  name: 'unlinkIdentity',
  endsAccess: true,
  audit: { subject: 'identity' },
  method: 'delete',
  path: '/auth/identities/{identityId}',
  summary: 'Unlink a sign-in provider',
  description:
    'Ends the sign-in sessions that were started with the provider, except your current one. An account without a password must keep one ' +
    'provider (`PERMISSION_DENIED`).',
  status: 204,
  look: ({ services, caller, params }) => services.signIn.identities.find(caller.userId, params.identityId),
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    const by = { userId: caller.userId, loginId: requireLogin(caller) }
    await services.signIn.identities.unlink(by, params.identityId)
    await services.accessChanges.note()
  },
})
