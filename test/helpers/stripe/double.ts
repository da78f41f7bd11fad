import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { Clock } from '../../../src/clock.ts'
import { readForm } from './form.ts'
import { invalid, StripeProblem } from './problem.ts'
import { settle } from './renewals.ts'
import { routes } from './routes.ts'
import { createWorld } from './world.ts'

export interface Recorded {
  method: string
  /** Includes the query. */
  path: string
  body: string
  key: string | null
  version: string | null
}

/**
 * What goes wrong. `lost`: the work is done, but the connection breaks before the response. `failed`: a 500, and
 * nothing is done. `broken`: the work is done, but the response is a 500. Stripe repeats any response, including a
 * 500, for the same idempotency key.
 */
export interface Trouble {
  /** A prefix such as `POST /v1/payment_intents`. */
  of: string
  what: 'lost' | 'failed' | 'broken'
  times: number
}

export const doubleKey = 'sk_test_double'

interface Answer {
  status: number
  body: object
}

/**
 * A double of Stripe: a server on loopback that keeps customers, cards, subscriptions and payments, and answers in
 * Stripe's wire format. It uses the test's clock; everything due happens before the next request. stripe-mock alone
 * returns fixtures, so nothing would ever be renewed or refused. It validates the requests instead.
 */
export async function startStripeDouble(t: Pick<ExecutionContext, 'teardown'>, clock: Clock) {
  const world = createWorld(clock)
  const requests: Recorded[] = []
  const troubles: Trouble[] = []
  const overtakers: { of: string; work: () => Promise<unknown> }[] = []
  const answered = new Map<string, { request: string; answer: Answer }>()

  /** `fails`: nothing is done, and the response is a 500. */
  function perform({ method, path, body, key }: Recorded, fails: boolean): Answer {
    const url = new URL(path, 'http://double')
    // Stripe replays the response to a key, and refuses the key for another request.
    const request = `${method} ${url.pathname} ${body}`
    const before = key === null || method === 'GET' ? undefined : answered.get(key)
    if (before && before.request !== request) return reused
    if (before) return before.answer
    const answer = fails ? serverError : route(method, url, body)
    const isBegun = answer.status < 400 || answer.status === 402 || answer.status >= 500
    if (key !== null && isBegun) answered.set(key, { request, answer })
    return answer
  }

  function route(method: string, { pathname, search }: URL, body: string): Answer {
    const [, version, kind, id = '', action] = pathname.split('/')
    const path = [`/${version}/${kind}`, ...(id === '' ? [] : [':id']), ...(action === undefined ? [] : [action])]
    const handle = routes[`${method} ${path.join('/')}`]
    try {
      if (!handle) throw invalid(`Unrecognized request URL (${method}: ${pathname}).`, {}, 404)
      return {
        status: 200,
        body: structuredClone(handle(world, readForm(search.slice(1) + (search && body && '&') + body), id)),
      }
    } catch (error) {
      if (error instanceof StripeProblem) return { status: error.status, body: { error: error.error } }
      throw error
    }
  }

  /** The trouble of this request, which is removed after its last use. */
  function troubleOf(recorded: Recorded): Trouble['what'] | undefined {
    const found = troubles.find((trouble) => trouble.times > 0 && isOf(recorded, trouble.of))
    if (found) found.times -= 1
    return found?.what
  }

  /** Lets another request come first. */
  async function overtake(recorded: Recorded): Promise<void> {
    const index = overtakers.findIndex(({ of }) => isOf(recorded, of))
    const [found] = index < 0 ? [] : overtakers.splice(index, 1)
    await found?.work()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request)
    requests.push(recorded)
    await overtake(recorded)
    settle(world)
    const trouble = troubleOf(recorded)
    if (request.headers.authorization !== `Bearer ${doubleKey}`) return send(response, unknownKey)
    const done = perform(recorded, trouble === 'failed')
    if (trouble === 'lost') return void request.socket.destroy()
    if (trouble !== 'broken') return send(response, done)
    const known = answered.get(recorded.key ?? '')
    if (known) known.answer = serverError
    send(response, serverError)
  }

  const send = (response: ServerResponse, { status, body }: Answer): void => {
    const id = `req_${requests.length}double`
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': id }).end(JSON.stringify(body))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    world,
    requests,
    /** Makes requests fail from now on. */
    trouble: (of: string, what: Trouble['what'], times = 1) => void troubles.push({ of, what, times }),
    /** Does the work before the next request of that kind, as if that request had been delayed. */
    overtake: (of: string, work: () => Promise<unknown>) => void overtakers.push({ of, work }),
    /** Forgets idempotency keys, as Stripe does after a day. */
    forgetKeys: () => answered.clear(),
    /** Processes everything that is due by now. */
    settle: () => settle(world),
    /** The cents of a customer's successful charges. */
    charged: (customer: string): number[] =>
      [...world.charges.values()].filter((charge) => charge.customer === customer).map(({ amount }) => amount),
  }
}

const isOf = ({ method, path }: Recorded, of: string): boolean => `${method} ${path}`.startsWith(of)

const serverError: Answer = { status: 500, body: { error: { type: 'api_error', message: 'Something went wrong.' } } }
const unknownKey: Answer = {
  status: 401,
  body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided.' } },
}
const reused: Answer = {
  status: 400,
  body: {
    error: {
      type: 'idempotency_error',
      message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    },
  },
}

async function record(request: IncomingMessage): Promise<Recorded> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const header = (name: string): string | null => (request.headers[name] as string | undefined) ?? null
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    body: Buffer.concat(parts).toString('utf8'),
    key: header('idempotency-key'),
    version: header('stripe-version'),
  }
}
