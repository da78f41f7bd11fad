import { send, type RawAnswer } from '../api/raw-http.ts'

interface Asked {
  body?: unknown
  /** Headers besides those of a platform page; undefined omits one. */
  headers?: Record<string, string | undefined>
}

interface Kept {
  value: string
  path: string
}

/** Keeps cookies as a browser does for one host, and sends requests as a page of the platform at `url` does. */
export function openJar(url: string, origin = url) {
  const kept = new Map<string, Kept>()

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */)
    const [name = '', value = ''] = pair.split('=')
    const of = (key: string) => attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1)
    const isOver = Date.parse(of('expires') ?? '9999-01-01') <= Date.now()
    if (isOver) kept.delete(name)
    else kept.set(name, { value, path: of('path') ?? '/' })
  }

  async function ask(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<RawAnswer> {
    const [asked = ''] = path.split('?')
    const fitting = [...kept]
      .filter((one) => asked.startsWith(one[1].path))
      .map(([name, { value }]) => `${name}=${value}`)
    const all: Record<string, string | undefined> = {
      ...(fitting.length > 0 && { cookie: fitting.join('; ') }),
      ...(method !== 'GET' && { origin }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await send(url, { method, path, headers: Object.fromEntries(given), ...text })
    for (const line of answer.headers['set-cookie'] ?? []) keep(line)
    return answer
  }

  return { url, kept, ask }
}

export type CookieJar = ReturnType<typeof openJar>

/** Logs in as a page of the platform does. */
export async function logInByCookie(jar: CookieJar, { email, password }: { email: string; password: string }) {
  const answer = await jar.ask('POST', '/auth/login', { body: { email, password, cookie: true } })
  if (answer.status !== 201) throw new Error(`The login answered ${answer.status}: ${answer.text}`)
  const { csrfToken } = JSON.parse(answer.text) as { csrfToken: string }
  return { answer, csrf: { 'x-csrf-token': csrfToken } }
}
