import * as signIn from '../../api/sign-in.ts'
import * as workspaceSignIn from '../../api/workspace-sign-in.ts'
import { redirectUriOf } from '../../src/sign-in/provider.ts'
import type { Person } from './people.ts'
import { call, type Client } from './client.ts'
import { clientSecret, signInAt, type IdentityProvider } from './identity-provider.ts'

/** The browser of a person who signs in: its cookies so far. */
export interface Visitor {
  cookies: Map<string, string>
}

export const visitor = (): Visitor => ({ cookies: new Map() })

export interface Page {
  status: number
  location: string
  text: string
  set: string[]
}

/** Opens an address of the platform in a browser. */
export async function visit(
  { url }: Pick<Client, 'url'>,
  { cookies }: Visitor,
  address: string,
  accept = 'application/json',
): Promise<Page> {
  const { pathname, search } = new URL(address, url)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${url}${pathname}${search}`, { redirect: 'manual', headers: { accept, cookie } })
  const set = answer.headers.getSetCookie()
  for (const line of set) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
  return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text(), set }
}

/** Starts to sign in. Returns the provider address that the platform redirects to. */
export async function beginSignIn(client: Pick<Client, 'url'>, by: Visitor, providerId: string, query = '') {
  let page = await visit(client, by, `/auth/oidc/${providerId}/start${query}`)
  // The provider of a workspace is behind a confirmation page.
  if (page.location.includes('/auth/oidc/go?')) page = await visit(client, by, page.location)
  if (page.status !== 303) throw new Error(`The browser was not sent on: ${page.status} ${page.text}`)
  return page.location
}

/** Signs in through a real provider. Returns the platform's response. */
export async function signInBy(
  client: Pick<Client, 'url'>,
  { providerId, user, by = visitor(), query = '' }: { providerId: string; user: string; by?: Visitor; query?: string },
) {
  const back = await signInAt(await beginSignIn(client, by, providerId, query), { user })
  return { by, ...(await visit(client, by, back)) }
}

/** The user of a browser, as a client of the API. */
export function clientOf({ url }: Pick<Client, 'url'>, { cookies }: Visitor): Client {
  const token = cookies.get('switchyard_access') ?? cookies.get('__Host-switchyard_access')
  if (token === undefined) throw new Error('Nobody is signed in')
  return { url, token }
}

/** Links a user's identity at a provider to an account. Returns the platform's response. */
export async function linkTo(someone: Person, providerId: string, user: string, by = visitor()): Promise<Page> {
  const { body } = await call(someone, signIn.linkIdentity, {
    body: { provider: providerId, currentPassword: someone.password },
  })
  const { location } = await visit(someone, by, body.linkUrl)
  return visit(someone, by, await signInAt(location, { user }))
}

/** Assigns a provider to a workspace. */
export const nameProvider = (admin: Client, workspaceId: string, issuer: string) =>
  call(admin, workspaceSignIn.setWorkspaceSignIn, {
    params: { workspaceId },
    body: { issuer, clientId: 'switchyard', clientSecret },
  })

/** The environment of a platform with one provider. */
export const environmentOf = ({ origin }: Pick<IdentityProvider, 'origin'>) => ({
  OIDC_ISSUER: origin,
  OIDC_CLIENT_ID: 'switchyard',
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_TITLE: 'Example staff',
})

export const callbackOf = ({ url }: Pick<Client, 'url'>, providerId = 'oidc'): string => redirectUriOf(url, providerId)
