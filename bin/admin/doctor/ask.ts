/** The longest time of one request, in milliseconds. */
const requestMs = 4000
/** The largest answer that is read, in bytes; ours are far smaller. */
const mostBytes = 64 * 1024

export interface Answer {
  status: number
  headers: Headers
  /** The JSON of the body; undefined if it is something else, or too long. */
  body: unknown
}

/**
 * A request as a browser makes it: with the authorities that Node trusts, and no redirect. Throws if nothing answers.
 */
export async function ask(url: string): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(requestMs) })
  return { status: response.status, headers: response.headers, body: await jsonOf(response) }
}

async function jsonOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
