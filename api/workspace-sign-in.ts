import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { text, time } from './schemas/schemas.ts'
import { workspaceNamed as resource } from './route/resources.ts'

const issuer = field(
  text(2048),
  'The provider, as it names itself; `/.well-known/openid-configuration` below it is its document',
  'https://login.example.com/realms/staff',
)
const ascii = (max: number) => v.pipe(text(max), v.regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters'))
const clientId = field(ascii(255), 'What the provider knows this platform by', 'switchyard')

const workspaceSignIn = named(
  'WorkspaceSignIn',
  v.object({
    redirectUri: field(
      v.string(),
      'To be registered at the provider',
      'https://switchyard.example.com/auth/oidc/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02/callback',
    ),
    startUrl: field(
      v.string(),
      'What members open to sign in, once they have linked the provider',
      'https://switchyard.example.com/auth/oidc/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02/start',
    ),
    provider: field(
      v.nullable(
        named('WorkspaceProvider', v.object({ issuer, clientId, createdAt: time }), 'The provider of a workspace'),
      ),
      'Without its secret; null if there is none',
      null,
    ),
  }),
  'How members sign in to a workspace alone',
)

const shared = {
  tag: 'workspaces',
  access: 'login',
  needs: 'administer',
  status: 200,
  path: '/workspaces/{workspaceId}/sign-in',
  resource,
} as const

export const getWorkspaceSignIn = route({
  ...shared,
  name: 'getWorkspaceSignIn',
  method: 'get',
  summary: 'Get how members sign in to a workspace',
  description: 'The addresses are the same before a provider is named.',
  whenClosed: true,
  response: workspaceSignIn,
  codes: ['WORKSPACE_NOT_FOUND'],
  handle: ({ services, resource }) => services.signIn.ofWorkspace.get(resource.id),
})

export const setWorkspaceSignIn = route({
  ...shared,
  name: 'setWorkspaceSignIn',
  endsAccess: true,
  audit: { subject: 'sign_in' },
  look: async ({ services, resource }) => (await services.signIn.ofWorkspace.get(resource.id)).provider ?? undefined,
  method: 'put',
  summary: 'Name the OpenID Connect provider of a workspace',
  description:
    'Members who link it while they are signed in can sign in by it, to this workspace alone. It replaces the provider ' +
    'before: the logins of that one end. What members have linked stays only if `issuer` and `clientId` stay the same.',
  body: v.strictObject({
    issuer,
    clientId,
    clientSecret: field(ascii(1000), 'Its secret at the provider; it is never shown', 'an-example-of-a-secret'),
  }),
  response: workspaceSignIn,
  codes: ['WORKSPACE_NOT_FOUND', 'INVALID_URL', 'SITE_UNAVAILABLE'],
  async handle({ services, resource, body }) {
    const set = await services.signIn.ofWorkspace.put(resource.id, body)
    await services.accessChanges.note()
    return set
  },
})

export const removeWorkspaceSignIn = route({
  ...shared,
  name: 'removeWorkspaceSignIn',
  endsAccess: true,
  audit: { subject: 'sign_in' },
  look: async ({ services, resource }) => (await services.signIn.ofWorkspace.get(resource.id)).provider ?? undefined,
  method: 'delete',
  summary: 'Remove the provider of a workspace',
  description: 'Its logins end, and members are no longer linked to it.',
  whenClosed: true,
  status: 204,
  codes: ['WORKSPACE_NOT_FOUND', 'NOT_FOUND'],
  async handle({ services, resource }) {
    await services.signIn.ofWorkspace.remove(resource.id)
    await services.accessChanges.note()
  },
})
