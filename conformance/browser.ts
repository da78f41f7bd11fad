import type { Client } from './client.ts'
import { Deviation } from './deviation.ts'

const mostPages = 10

/** Signs in at the contacts example site and allows the request. Returns the address that the site redirects to. */
export async function signInAtContacts(client: Client, address: string): Promise<URL> {
  const site = new URL(address).origin
  const cookies = new Map<string, string>()
  let url = address
  let form: Record<string, string> | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await client.send({ method: form ? 'POST' : 'GET', url, headers: { cookie }, ...(form && { form }) })
    for (const line of answer.headers.getSetCookie()) keep(cookies, line)
    const location = answer.headers.get('location')
    form = location === null ? formOf(answer.text) : undefined
    if (location === null) continue
    const next = new URL(location, url)
    if (next.origin !== site) return next
    url = next.href
  }
  throw new Deviation('the sign-in at the example site does not end')
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';', 1)
  const at = pair.indexOf('=')
  cookies.set(pair.slice(0, at), pair.slice(at + 1))
}

const formOf = (text: string): Record<string, string> =>
  text.includes('name="decision"') ? { decision: 'allow' } : { user: 'ada', password: 'ada-password' }
