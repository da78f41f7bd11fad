import type { PlatformClient } from './platform-client.ts'

/** What a scenario tells its client beforehand. */
export interface Registered {
  client_id?: string
  client_secret?: string
}

/**
 * Connects the address as its owner would, and returns the id of the vault entry. A server that refuses the new token has
 * moved to another authorization server, so its owner tries again.
 */
export function connect(platform: PlatformClient, url: string, registered: Registered): Promise<string> {
  return connectOnce(platform, url, registered).catch((error: unknown) => {
    if (!String(error).includes('MANIFEST_NOT_FOUND')) throw error
    return connectOnce(platform, url, registered)
  })
}

async function connectOnce(platform: PlatformClient, url: string, registered: Registered): Promise<string> {
  const { authType, foreignHosts } = await platform.inspect(url)
  if (authType !== 'oauth2') return platform.add(url)
  const { client_id: clientId, client_secret: clientSecret } = registered
  return signIn(platform, {
    url,
    acceptHosts: foreignHosts,
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
  })
}

/** Asks again for what the entry lacks. */
export const reconnect = (platform: PlatformClient, entryId: string): Promise<string> => signIn(platform, { entryId })

/**
 * Plays the browser of the owner from the platform's address to the authorization server and back. The server asks no
 * person.
 */
async function signIn(platform: PlatformClient, request: Record<string, unknown>): Promise<string> {
  const opened = await open(await platform.startOAuth(request))
  const cookie = opened.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const agreed = await open(locationOf(opened))
  const back = await open(locationOf(agreed), { cookie: cookie.join('; ') })
  const answer = await back.text()
  const { entryId } = JSON.parse(answer) as { entryId?: string }
  if (entryId === undefined) throw new Error(`The sign-in answered ${back.status}: ${answer}`)
  return entryId
}

/** As a client that asks for JSON, to which the platform shows no page. */
const open = (address: string, headers: Record<string, string> = {}) =>
  fetch(address, { redirect: 'manual', headers: { accept: 'application/json', ...headers } })

function locationOf(response: Response): string {
  const location = response.headers.get('location')
  if (location === null) throw new Error(`${response.url} answered ${response.status} instead of a redirect`)
  return location
}
