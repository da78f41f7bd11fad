import { send } from '../tour/client.ts'

/** A response that a browser would follow, and the cookies that it set. */
async function open(address: string | URL, cookie = '') {
  const { status, headers } = await fetch(address, { redirect: 'manual', headers: { cookie } })
  const location = headers.get('location')
  if (location === null) throw new Error(`${new URL(address).pathname} was answered with ${status}.`)
  const cookies = headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  return { location, cookie: cookies.join('; ') }
}

/**
 * Does what a person does who is signed in to the console and lets a client act: opens the client's address, allows it
 * to read and run, and follows the redirects back to the client.
 */
export async function allowClient(address: string, token: string): Promise<void> {
  const { location: request, cookie } = await open(address)
  const url = `${new URL(request, address).href}/allow`
  const answer = await send({ method: 'POST', url, token, headers: { cookie }, body: { scopes: ['read', 'run'] } })
  const { location: back } = await open(String(answer['location']), cookie)
  await fetch(back)
}
