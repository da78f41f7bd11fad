import { askSite, type SiteAnswer } from './sites.ts'

export interface SignInOptions {
  user: string
  password: string
  /** The button to press on the consent screen; by default "Allow". */
  decide?: 'allow' | 'deny' | undefined
}

/** More steps than any path through login and consent. */
const mostSteps = 20

/**
 * Plays the browser of a user at the contacts site: follows redirects, keeps cookies, fills in the login form and
 * presses a button on the consent screen. Returns the address of the redirect that leaves the site:
 * `…/vault/oauth/callback?code=…&state=…&iss=…`. Throws with the text of any other page: a wrong password, a refused
 * request.
 */
export async function signIn(authorizeUrl: string, options: SignInOptions): Promise<string> {
  const browser = createBrowser()
  const { origin } = new URL(authorizeUrl)
  let url = authorizeUrl
  let answer = await browser.open(url)
  for (let step = 0; step < mostSteps; step += 1) {
    const { location } = answer.headers
    if (typeof location === 'string') {
      url = new URL(location, url).href
      if (new URL(url).origin !== origin) return url
      answer = await browser.open(url)
    } else {
      answer = await browser.send(url, fillIn(answer, options))
    }
  }
  throw new Error(`The sign-in does not end; it is at ${new URL(url).pathname}`)
}

function fillIn({ status, text }: SiteAnswer, { user, password, decide = 'allow' }: SignInOptions) {
  if (status === 200 && text.includes('name="password"')) return { user, password }
  if (status === 200 && text.includes('name="decision"')) return { decision: decide }
  const said = /role="alert">([^<]*)/.exec(text)?.[1] ?? text.slice(0, 500)
  throw new Error(`The site answered with ${status}: ${said}`)
}

/** A minimal browser. It sends each cookie to the path that set it, until the cookie is deleted. */
export function createBrowser() {
  const jar = new Map<string, { path: string; pair: string }>()

  function keep(header: string): void {
    const [pair = '', ...attributes] = header.split(/; */)
    const attribute = (name: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
    const path = attribute('path') ?? '/'
    const expires = attribute('expires')
    const key = `${pair.split('=')[0]} ${path}`
    if (expires !== undefined && Date.parse(expires) <= Date.now()) jar.delete(key)
    else jar.set(key, { path, pair })
  }

  async function ask(url: string, body?: string): Promise<SiteAnswer> {
    const { pathname } = new URL(url)
    const cookies = [...jar.values()].filter(({ path }) => pathname.startsWith(path)).map(({ pair }) => pair)
    const headers = {
      Accept: 'text/html',
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(cookies.length > 0 && { Cookie: cookies.join('; ') }),
    }
    const answer = await askSite(url, { headers, body })
    for (const header of [answer.headers['set-cookie'] ?? []].flat()) keep(header)
    return answer
  }

  return {
    open: (url: string) => ask(url),
    send: (url: string, form: Record<string, string>) => ask(url, new URLSearchParams(form).toString()),
  }
}
