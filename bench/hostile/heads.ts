/* Requests without a body that are hard to read: queries, headers, cookies and paths of the largest size. */

const repeated = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / unit.length))
const numbered = (bytes: number, unit: (index: number) => string): string => {
  let text = ''
  for (let index = 0; text.length < bytes - 12; index += 1) text += unit(index)
  return text
}

const sizes = [3900, 15_000]

const queries = (bytes: number): Record<string, string> => ({
  'one name again and again': repeated('a&', bytes),
  'many names': numbered(bytes, (index) => `${index.toString(36)}&`),
  'names by escapes': repeated('%61=%62&', bytes),
  'broken escapes': repeated('%&', bytes),
  'one long value': `limit=${repeated('9', bytes - 6)}`,
  'one long cursor': `cursor=${repeated('A', bytes - 7)}`,
  'one long time': `since=${repeated('2', bytes - 6)}`,
  'members of members': repeated('a[b][c]=&', bytes),
  'plus signs': repeated('+', bytes),
  'equal signs': repeated('=', bytes),
})

const values = (bytes: number): Record<string, string> => ({
  commas: repeated('a,', bytes),
  types: repeated('a/b,', bytes),
  'an open quotation mark': `a/b;a="${repeated(',', bytes - 7)}`,
  'many open quotation marks': `a/b;a="${repeated(',"', bytes - 7)}`,
  parameters: `a/b${repeated(';a=b', bytes - 3)}`,
  'quoted semicolons': `a/b;a="${repeated(';', bytes - 7)}`,
  blanks: `a${repeated(' ', bytes - 2)}b`,
  'blanks and commas': repeated('a ,  ', bytes),
  cookies: repeated('a=b; ', bytes),
  'the cookie of a login again and again': repeated('switchyard_access=a.b.c; ', bytes),
  'one cookie of many letters': `switchyard_access=${repeated('a', bytes - 30)}.b.c`,
  semicolons: repeated(';', bytes),
  tokens: `Bearer ${repeated('a.', bytes - 7)}`,
  'one long token': `Bearer ${repeated('a', bytes - 15)}.b.c`,
  'blanks in a token': `Bearer ${repeated(' ', bytes - 9)}b`,
  addresses: repeated('1.2.3.4, ', bytes),
  etags: repeated('W/"a", ', bytes),
  colons: repeated(':', bytes),
})

const names =
  'Cookie Accept Accept-Language Accept-Encoding Authorization Content-Type Content-Encoding X-Forwarded-For ' +
  'X-Forwarded-Proto X-Forwarded-Host Host X-Request-Id If-None-Match Origin Sec-Fetch-Site X-Session-Token User-Agent ' +
  'X-Webhook-Secret Webhook-Signature Idempotency-Key Last-Event-ID X-CSRF-Token Range'

const paths = (bytes: number): Record<string, string> => ({
  'many segments': repeated('/a', bytes),
  slashes: repeated('/', bytes),
  'one long segment': `/agents/${repeated('a', bytes - 8)}`,
  'an escaped segment': `/agents/${repeated('%2F', bytes - 8)}`,
  'broken escapes': `/agents/${repeated('%', bytes - 8)}`,
  'broken UTF-8': `/agents/${repeated('%ff', bytes - 8)}`,
  'segments that go up': repeated('/..', bytes),
  'the beginning of a route, again and again': repeated('/agents', bytes),
})

const head = (target: string, lines: string, method = 'GET') =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`

/** Requests of anyone, and requests of users with the given token. */
const targets = [
  '/auth/oidc/go',
  '/vault/oauth/callback',
  '/agents',
  '/audit',
  '/runs',
  '/docs',
  '/healthz',
  '/nowhere',
]

/** All of them, in groups by name. */
export function heads(token: string): Record<string, Record<string, string>> {
  const groups: Record<string, Record<string, string>> = {}
  const add = (group: string, what: string, target: string, lines = '', method = 'GET') => {
    ;(groups[`${group}, of anybody`] ??= {})[what] = head(target, lines, method)
    ;(groups[`${group}, with a token`] ??= {})[what] = head(
      target,
      `Authorization: Bearer ${token}\r\n${lines}`,
      method,
    )
  }
  for (const bytes of sizes) {
    for (const target of targets)
      for (const [what, query] of Object.entries(queries(bytes)))
        add('queries', `${target}: ${what}, ${bytes} bytes`, `${target}?${query}`)
    for (const [what, query] of Object.entries(queries(bytes)))
      add(
        'queries',
        `POST /auth/login: ${what}, ${bytes} bytes`,
        `/auth/login?${query}`,
        'Content-Length: 0\r\n',
        'POST',
      )
    for (const [what, path] of Object.entries(paths(bytes))) add('paths', `${what}, ${bytes} bytes`, path)
    for (const name of names.split(' '))
      for (const [what, value] of Object.entries(values(bytes)))
        add('headers', `${name}: ${what}, ${bytes} bytes`, '/agents', `${name}: ${value}\r\n`)
    for (const name of ['a', 'Cookie', 'Accept', 'X-Forwarded-For', 'Content-Type'])
      add('headers', `${name} again and again, ${bytes} bytes`, '/agents', repeated(`${name}: a\r\n`, bytes))
  }
  return groups
}
