import * as v from 'valibot'
import type { Provider } from '../../src/sign-in/provider.ts'
import type { Identity } from '../../src/sign-in/identity.ts'
import { field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { text, time } from './schemas.ts'

const providerMeaning = 'Name of a platform provider, or id of a workspace with its own provider'
export const providerName = field(text(64), providerMeaning, 'google')

export const signInProvider = named(
  'SignInProvider',
  v.object({
    provider: field(v.string(), 'Name of the provider', 'google'),
    title: field(v.string(), 'Display name', 'Google'),
    startUrl: field(v.string(), 'URL to open in the browser', 'https://switchyard.example.com/auth/oidc/google/start'),
  }),
  'OpenID Connect provider for sign-in',
)

export const identity = named(
  'Identity',
  v.object({
    id: idOf('identity'),
    provider: field(v.string(), providerMeaning, 'google'),
    workspaceId: field(
      v.nullable(v.string()),
      'The only workspace that this identity can sign in to. Null means the whole account.',
      null,
    ),
    issuer: field(v.string(), "The provider's issuer URL", 'https://accounts.google.com'),
    linkedAt: field(time, 'When the identity was linked'),
  }),
  'User identity at an OpenID Connect provider',
)

export const presentIdentity = ({ id, provider, workspaceProviderId, issuer, linkedAt }: Identity) => ({
  id,
  provider,
  workspaceId: workspaceProviderId === null ? null : provider,
  issuer,
  linkedAt,
})

export const finishedSignIn = named(
  'FinishedSignIn',
  v.object({
    provider: field(v.string(), providerMeaning, 'google'),
    outcome: named(
      'SignInOutcome',
      v.picklist(['signed-in', 'linked']),
      '`signed-in`: the response sets the cookies of a new sign-in. `linked`: the provider is linked to the account that requested the link.',
    ),
  }),
  'Result of a sign-in attempt',
)

/** The display name of a workspace's provider: the host that people see when they sign in. */
export const hostOf = ({ issuer }: Pick<Provider, 'issuer'>): string => new URL(issuer).host
