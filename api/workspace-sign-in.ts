import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { text, time } from './schemas/schemas.ts'
import { workspaceNamed as resource } from './route/resources.ts'

const issuer = field(
  text(2048),
  "The provider's issuer URL. The provider's configuration is at `/.well-known/openid-configuration` below this URL.",
  'https://login.example.com/realms/staff',
)
const ascii = (max: number) => v.pipe(text(max), v.regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters'))
const clientId = field(ascii(255), "This platform's client id at the provider", 'switchyard')

const workspaceSignIn = named(
  'WorkspaceSignIn',
  v.object({
    redirectUri: field(
      v.string(),
      'Redirect URI to register with the provider',
      'https://switchyard.example.com/auth/oidc/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02/callback',
    ),
    startUrl: field(
      v.string(),
      'URL that members open to sign in once they have linked the provider',
      'https://switchyard.example.com/auth/oidc/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02/start',
    ),
    provider: field(
      v.nullable(
        named('WorkspaceProvider', v.object({ issuer, clientId, createdAt: time }), 'Workspace sign-in provider'),
      ),
      'Provider, without its secret. Null if there is none.',
      null,
    ),
  }),
  'Workspace sign-in settings',
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
  summary: "Get a workspace's sign-in settings",
  description:
    '`redirectUri` and `startUrl` stay the same, whether or not a provider is set. Requires the `admin` or `owner` role.',
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
  summary: "Set a workspace's sign-in provider",
  description:
    'Members who link this OpenID Connect provider while signed in can then sign in with it, to this workspace only. Ends the sign-in sessions that were started with the previous provider. Existing links remain only if `issuer` and `clientId` stay the same. Requires the `admin` or `owner` role.',
  body: v.strictObject({
    issuer,
    clientId,
    clientSecret: field(
      ascii(1000),
      'Client secret issued by the provider. It is never shown.',
      'an-example-of-a-secret',
    ),
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
  summary: "Remove a workspace's sign-in provider",
  description:
    'Ends the sign-in sessions that were started with the provider, and unlinks members from it. Requires the `admin` or `owner` role.',
  whenClosed: true,
  status: 204,
  codes: ['WORKSPACE_NOT_FOUND', 'NOT_FOUND'],
  async handle({ services, resource }) {
    await services.signIn.ofWorkspace.remove(resource.id)
    await services.accessChanges.note()
  },
})
