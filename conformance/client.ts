import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates } from 'node:tls'
import ky from 'ky'
import pLimit from 'p-limit'
import { Agent, Dispatcher1Wrapper } from 'undici'
import { Unanswered, Untried } from './deviation.ts'
import { bodyOf, headersOf, jsonOf, type Message } from './message.ts'
import { secondsToWait } from './retry-after.ts'
import { whyUnanswered } from './network-errors.ts'

export type Json = Record<string, unknown>

export interface Request extends Message {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** A path of the platform, or a whole address. */
  url: string
  signal?: AbortSignal
  /** Return a 429 or 503 instead of waiting. */
  takesLimits?: boolean
}

export interface Answer {
  /** The request in words, for messages. */
  asked: string
  status: number
  headers: Headers
  text: string
  /** Empty if the body is not a JSON object. */
  json: Json
  ms: number
}

export type Client = ReturnType<typeof createClient>

/** The platform's rate limits have windows of a minute. */
const longestWaitSeconds = 65
/** For a whole response, body included. Only chat answers may take longer. */
const answerSeconds = 60
const longAnswerSeconds = 150
const longestBodyBytes = 16 * 1024 * 1024
/** More would measure this machine instead of the platform. */
const atOnce = 16

interface Options {
  base: string
  /** PEM of an authority to trust besides the public ones. */
  caFile?: string | undefined
  /** Gets a line for every wait. */
  say: (text: string) => void
  /** Ends waits and long answers. Nothing is sent afterwards. */
  stop?: AbortSignal
}

interface Patience {
  /** The request does not delay others. */
  isLong?: boolean
  /** How long the whole answer may take. */
  seconds?: number
}

/** Sends requests to the platform and to sites. Follows no redirect, and waits for Retry-After up to a limit. */
export function createClient({ base, caFile, say, stop = new AbortController().signal }: Options) {
  const ca = caFile === undefined ? [] : [readFileSync(caFile, 'utf8')]
  const connect = { ca: [...getCACertificates('default'), ...ca] }
  const newAgent = (): Agent => new Agent({ connect, maxResponseSize: longestBodyBytes })
  const agent = newAgent()
  // Node 24's fetch is undici 7, which calls its dispatcher differently from undici 8.
  const dispatcher = new Dispatcher1Wrapper(agent)
  // Long requests are few, and must not delay the others.
  const limit = pLimit(atOnce)
  const underWay = new Set<Promise<unknown>>()

  /** A request that can be aborted has its own connections, which end with its signal. */
  function dispatcherFor({ signal }: Request): Dispatcher1Wrapper {
    if (!signal) return dispatcher
    const own = newAgent()
    signal.addEventListener('abort', () => void own.destroy(), { once: true })
    return new Dispatcher1Wrapper(own)
  }

  const exchange = (request: Request, address: URL, signals: AbortSignal[]): Promise<Response> =>
    ky(address, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...bodyOf(request),
      signal: AbortSignal.any(signals),
      redirect: 'manual',
      retry: 0,
      // The signals have a time limit, which also applies to the body.
      timeout: false,
      throwHttpErrors: false,
      fetch: (input, init) => globalThis.fetch(input, { ...init, dispatcher: dispatcherFor(request) } as object),
    })

  async function sendOnce(request: Request, seconds: number, isLong: boolean): Promise<Answer> {
    stop.throwIfAborted()
    const address = new URL(request.url, base)
    const asked = `${request.method ?? 'GET'} ${address.pathname}`
    const began = performance.now()
    try {
      const { signal } = request
      const signals = [AbortSignal.timeout(seconds * 1000), ...(isLong ? [stop] : []), ...(signal ? [signal] : [])]
      const exchanged = exchange(request, address, signals)
      const read = exchanged.then((answer) => answer.text())
      const [response, text] = await Promise.race([Promise.all([exchanged, read]), whenAborted(signals)])
      const { status, headers } = response
      return { asked, status, headers, text, json: jsonOf(text), ms: performance.now() - began }
    } catch (error) {
      throw new Unanswered(`${asked} was not answered: ${whyUnanswered(error, address, seconds)}.`, { cause: error })
    }
  }

  function track<T>(sending: Promise<T>): Promise<T> {
    underWay.add(sending)
    const ended = (): void => void underWay.delete(sending)
    sending.then(ended, ended)
    return sending
  }

  return {
    base,
    /**
     * Sends a request. After a 429 or 503 it waits for Retry-After and tries again, at most three times. Throws
     * Untried if the wait is too long, and Unanswered.
     */
    async send(request: Request, { isLong = false, seconds }: Patience = {}): Promise<Answer> {
      const most = seconds ?? (isLong ? longAnswerSeconds : answerSeconds)
      const sent = () => track(sendOnce(request, most, isLong))
      for (let left = 3; ; left -= 1) {
        const answer = await (isLong ? sent() : limit(sent))
        const wait = request.takesLimits ? undefined : secondsToWait(answer)
        if (wait === undefined || left === 0) return answer
        if (wait > longestWaitSeconds) throw new Untried(tooLong(answer, wait))
        say(`${answer.asked} is limited: waiting ${wait} s, as Retry-After says.`)
        await delay(wait * 1000, undefined, { signal: stop })
      }
    },
    /** Resolves when no request is in progress. */
    idle: () => Promise.allSettled(underWay),
    close: () => agent.destroy(),
  }
}

/** Rejects when a signal aborts. While fetch reads a body, it may lose an abort to the garbage collector. */
const whenAborted = (signals: AbortSignal[]): Promise<never> =>
  new Promise((_resolve, reject) => {
    for (const signal of signals) signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })

const tooLong = ({ asked, status }: Answer, seconds: number): string =>
  `${asked} answered ${status} with a Retry-After of ${seconds} s, and the check waits ${longestWaitSeconds} s at most.`
