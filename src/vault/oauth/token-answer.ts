import { decodeUtf8, parseJson } from '../../json.ts'

/**
 * A token response in the form that the library can use best. It then reads the `error` of a refusal even if there is a
 * challenge or no content type.
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
 * Removes unimportant members that would make the library reject a successful token response. A refresh token was spent
 * for it, so rejecting it for a strange lifetime would lose the grant. An `expires_in` that is not a positive number
 * counts as absent, and so does any null; an `id_token` was not requested.
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
