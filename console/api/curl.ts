/** An action as a request that a program could send. */
export interface Action {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
}

/** The request as a command for a shell. `$TOKEN` is an access token or an API key. */
export function asCurl({ method, path, body }: Action, origin: string): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

/** In single quotes, in which a shell reads everything as it is, except the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
