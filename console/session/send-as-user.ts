import { parseExactly } from '../api/exact-json.ts'
import { connection, noteAway } from './connection.ts'
import { csrfHeader, csrfToken } from './csrf.ts'
import { login } from './login.ts'
import { renew } from './renew.ts'

/**
 * Sends a request with the cookies of the login. A login that expired is renewed, and the request is repeated, which is
 * safe because it was refused. Notes if the login has ended or the API does not answer.
 */
export async function sendAsUser(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await send(request)
  if (response.status !== 401 || !(await isExpired(response))) return response
  if (await renew()) return send(again)
  if (login.get() === 'open') login.set('ended')
  return response
}

async function send(request: Request): Promise<Response> {
  try {
    if (request.method !== 'GET') request.headers.set(csrfHeader, await csrfToken())
    const response = await fetch(request)
    if (response.status === 502 || response.status === 503) noteAway()
    else connection.set('here')
    return withExactNumbers(response)
  } catch (error) {
    // An aborted request says nothing about the connection.
    if (error instanceof TypeError) noteAway()
    throw error
  }
}

/** Whether an open login may be renewed. A wrong password is also a 401. */
async function isExpired(response: Response): Promise<boolean> {
  const { code } = (await response.clone().json()) as { code?: string }
  return code === 'TOKEN_EXPIRED' || (login.get() === 'open' && code !== undefined && ended.has(code))
}

const ended = new Set(['UNAUTHORIZED', 'INVALID_TOKEN', 'TOKEN_REVOKED'])

/** Payloads and arguments may have numbers that JavaScript cannot hold. */
const withExactNumbers = (response: Response): Response =>
  Object.assign(response, { json: async () => parseExactly(await response.text()) })
