import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates } from 'node:tls'
import ky from 'ky'
import pLimit from 'p-limit'
import { Agent, Dispatcher1Wrapper } from 'undici'

export type Json = Record<string, unknown>

export interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** A path of the platform, or a whole address. */
  url: string
  token?: string | undefined
  headers?: Record<string, string>
  body?: unknown
  /** The body as it is, in place of `body`. */
  raw?: string
  form?: Record<string, string>
  signal?: AbortSignal
  /** A 429 is the answer, and not a reason to wait. */
  takesLimits?: boolean
}

export interface Answer {
  /** What was asked, for messages. */
  asked: string
  status: number
  headers: Headers
  text: string
  /** Empty if the body is not a JSON object. */
  json: Json
  ms: number
}

export type Client = ReturnType<typeof createClient>

/** A window of the platform's limits is a minute long. */
const longestWaitSeconds = 65
const longestAnswerMs = 150_000
/** More would measure this machine, and not the platform. */
const atOnce = 16

interface Options {
  base: string
  /** PEM of an authority that is trusted besides the public ones. */
  caFile?: string | undefined
  /** Is told of every wait. */
  say: (text: string) => void
}

/** Asks the platform and sites over HTTP. Follows no redirect, and waits for as long as a Retry-After says, bounded. */
export function createClient({ base, caFile, say }: Options) {
  const ca = caFile === undefined ? [] : [readFileSync(caFile, 'utf8')]
  const agent = new Agent({ connect: { ca: [...getCACertificates('default'), ...ca] } })
  const dispatcher = new Dispatcher1Wrapper(agent)
  // Answers that take long are not many, and must not hold up the others.
  const limit = pLimit(atOnce)

  async function sendOnce(request: Request): Promise<Answer> {
    const { method = 'GET', url, signal } = request
    const began = performance.now()
    const response = await ky(new URL(url, base), {
      method,
      headers: headersOf(request),
      ...bodyOf(request),
      ...(signal && { signal }),
      redirect: 'manual',
      retry: 0,
      timeout: longestAnswerMs,
      throwHttpErrors: false,
      // Node 24's fetch is undici 7, which calls its dispatcher differently from undici 8.
      fetch: (input, init) => globalThis.fetch(input, { ...init, dispatcher } as object),
    })
    const text = await response.text()
    const { pathname } = new URL(url, base)
    const { status, headers } = response
    return { asked: `${method} ${pathname}`, status, headers, text, json: read(text), ms: performance.now() - began }
  }

  return {
    base,
    /** Sends a request. After a 429 it waits for Retry-After and sends it again, at most three times. */
    async send(request: Request, { isLong = false } = {}): Promise<Answer> {
      for (let left = 3; ; left -= 1) {
        const answer = await (isLong ? sendOnce(request) : limit(() => sendOnce(request)))
        const seconds = Number(answer.headers.get('retry-after'))
        const waits = answer.status === 429 && !request.takesLimits && seconds > 0 && seconds <= longestWaitSeconds
        if (!waits || left === 0) return answer
        say(`${answer.asked} is limited: waiting ${seconds} s, as Retry-After says.`)
        await delay(seconds * 1000)
      }
    },
    close: () => agent.destroy(),
  }
}

const headersOf = ({ token, headers, body, raw, form }: Request): Record<string, string> => ({
  accept: 'application/json',
  ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
  ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...headers,
})

function bodyOf({ body, raw, form }: Request): { body?: string } {
  if (raw !== undefined) return { body: raw }
  if (form) return { body: new URLSearchParams(form).toString() }
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

function read(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
  } catch {
    return {}
  }
}
