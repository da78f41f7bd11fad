import type { Answer, Client, Json } from './client.ts'
import { accepted, assert } from './expect.ts'
import type { OwnSite } from './own-site.ts'
import type { Person } from './people.ts'

export const addToVault = (client: Client, { token }: Person, url: string, credential: string): Promise<Answer> =>
  client.send({ method: 'POST', url: '/vault', token, body: { url, token: credential } })

export const inspect = (client: Client, { token }: Person, url: string): Promise<Answer> =>
  client.send({ method: 'POST', url: '/vault/inspect', token, body: { url } })

/** Connects a site with a bearer token. Returns the id of the entry. */
export async function connect(
  client: Client,
  person: Person,
  site: OwnSite,
  credential = 'good-token',
): Promise<string> {
  return String(accepted(await addToVault(client, person, site.origin, credential), 201)['id'])
}

/** The entry as its owner sees it. */
export const entryOf = async (client: Client, { token }: Person, entryId: string): Promise<Json> =>
  accepted(await client.send({ url: `/vault/${entryId}`, token }))

interface Call {
  entryId: string
  tool: string
  input?: Json
  takesLimits?: boolean
}

export const callTool = (client: Client, { token }: Person, { entryId, tool, input = {}, ...more }: Call) =>
  client.send({ method: 'POST', url: `/vault/${entryId}/tools/${tool}/call`, token, body: input, ...more })

export const startOAuth = (
  client: Client,
  { token }: Person,
  site: OwnSite,
  tools: readonly string[],
): Promise<Answer> =>
  client.send({ method: 'POST', url: '/vault/oauth/start', token, body: { url: site.origin, tools } })

/** The state of a browser after the platform has redirected it to the site. */
export interface Redirected {
  flow: Json
  location: URL
  cookie: string
}

/** Opens the address of a flow in its owner's browser. */
export async function redirected(client: Client, flow: Json): Promise<Redirected> {
  const { pathname, search } = new URL(String(flow['connectUrl']))
  const answer = await client.send({ url: `${pathname}${search}` })
  assert(answer.status === 303, `${answer.asked} answered ${answer.status}, and redirected nobody`)
  const location = new URL(answer.headers.get('location') ?? '')
  return { flow, location, cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '' }
}

/** Returns from the site with its redirect and the cookie of the same browser. */
export async function comeBack(client: Client, { location, cookie }: Redirected): Promise<Answer> {
  const approved = await client.send({ url: location.href })
  const { pathname, search } = new URL(approved.headers.get('location') ?? '')
  return client.send({ url: `${pathname}${search}`, headers: { cookie } })
}
