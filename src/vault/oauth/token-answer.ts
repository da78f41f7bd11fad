import type { SafeResponse } from '../../safe-fetch/safe-fetch.ts'
import { decodeUtf8, parseJson } from '../../json.ts'

/** The answer of the safe fetch in the form that the OAuth library reads. */
export function toResponse({ status, headers, body }: SafeResponse): Response {
  const empty = status === 204 || status === 205 || status === 304
  return new Response(empty ? null : new Uint8Array(body), { status, headers })
}

/**
 * A token answer in the form that the library makes the most of. Of a refusal it reads the `error` then, which says what
 * is the matter, although there is a challenge, or no type of content.
 */
export const readable = (response: Response): Promise<Response> =>
  response.status === 200 ? withoutOddities(response) : Promise.resolve(asRefusal(response))

function asRefusal({ status, headers: given, body }: Response): Response {
  const headers = new Headers(given)
  headers.delete('www-authenticate')
  headers.set('content-type', 'application/json')
  return new Response(body, { status, headers })
}

/**
 * A successful token answer without what the library would refuse it for although nothing hangs on it. A refresh token
 * was spent for this answer: to throw it away because of a strange lifetime would throw the grant away. An `expires_in`
 * that is no positive number counts as none, and so does what is null; an `id_token` is not asked for.
 */
async function withoutOddities(response: Response): Promise<Response> {
  const text = decodeUtf8(new Uint8Array(await response.arrayBuffer()))
  const parsed = text === undefined ? undefined : parseJson(text)
  const headers = { 'content-type': 'application/json' }
  if (!parsed?.ok || typeof parsed.value !== 'object' || parsed.value === null) return new Response('null', { headers })
  const { expires_in: lifetime, id_token: _, ...rest } = parsed.value as Record<string, unknown>
  const seconds = Number(lifetime)
  const believable = typeof lifetime !== 'boolean' && Number.isFinite(seconds) && seconds > 0
  const members = Object.entries(rest).filter(([, value]) => value !== null)
  return Response.json({ ...Object.fromEntries(members), ...(believable && { expires_in: seconds }) })
}
