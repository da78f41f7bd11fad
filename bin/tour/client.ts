export type Json = Record<string, unknown>

interface Call {
  method: string
  url: string
  token?: string | undefined
  headers?: Record<string, string>
  body?: unknown
}

/** The printed form of a request or response: without tokens and secrets, and at most a screen long. */
function shown(value: unknown): string {
  const hidden = (key: string, inner: unknown) => (/token|password|secret/i.test(key) && inner !== null ? '…' : inner)
  const lines = JSON.stringify(value, hidden, 2).split('\n')
  return lines.length > 60 ? [...lines.slice(0, 60), '…'].join('\n') : lines.join('\n')
}

/** Sends one request to the platform. Throws after `onAnswer` if it is refused. */
export async function send(
  { method, url, token, headers = {}, body }: Call,
  onAnswer: (status: number, answer: Json | undefined) => void = () => undefined,
): Promise<Json> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = text === '' ? undefined : (JSON.parse(text) as Json)
  onAnswer(response.status, answer)
  if (!response.ok) throw new Error(`${method} ${url} was refused: ${String(answer?.['error'])}`)
  return answer ?? {}
}

/** Sends a request and prints both sides. */
export function ask(call: Call): Promise<Json> {
  const { method, url, body } = call
  console.log(`\n→ ${method} ${new URL(url).pathname}${body === undefined ? '' : `\n${shown(body)}`}`)
  return send(call, (status, answer) => console.log(`← ${status}${answer === undefined ? '' : `\n${shown(answer)}`}`))
}
