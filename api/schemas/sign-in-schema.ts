import * as v from 'valibot'
import type { Provider } from '../../src/sign-in/provider.ts'
import type { Identity } from '../../src/sign-in/identity.ts'
import { field, named } from './documented.ts'
import { id, text, time } from './schemas.ts'

const providerMeaning = 'The name of a provider of the platform, or the id of a workspace that has one'
export const providerName = field(text(64), providerMeaning, 'google')

export const signInProvider = named(
  'SignInProvider',
  v.object({
    provider: field(v.string(), 'Its name', 'google'),
    title: field(v.string(), 'What people know it by', 'Google'),
    startUrl: field(
      v.string(),
      'To be opened in the browser of whoever signs in',
      'https://switchyard.example.com/auth/oidc/google/start',
    ),
  }),
  'An OpenID Connect provider that signs people in to their accounts',
)

export const identity = named(
  'Identity',
  v.object({
    id,
    provider: field(v.string(), providerMeaning, 'google'),
    workspaceId: field(v.nullable(id), 'The only workspace that it signs in to; null for the account', null),
    issuer: field(v.string(), 'The provider, as it names itself', 'https://accounts.google.com'),
    linkedAt: time,
  }),
  'What somebody is at an OpenID Connect provider',
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
      'signed-in: the cookies of a login came with this · linked: the provider was linked to the account that asked for it',
    ),
  }),
  'What came of an attempt to sign in',
)

/** How people know a provider of a workspace: by the address that they will see. */
export const hostOf = ({ issuer }: Pick<Provider, 'issuer'>): string => new URL(issuer).host
