import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext, TestFn } from 'ava'
import { Webhook } from 'standardwebhooks'
import * as agents from '../../../api/agents.ts'
import * as callbacks from '../../../api/callbacks.ts'
import type { Config } from '../../../src/config/config.ts'
import { createServices } from '../../../src/services.ts'
import { createLogger } from '../../../src/logger.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { startHttpsSite, temporaryCertificates } from '../../helpers/https-server.ts'
import { agentOf, customer } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { cancel, start } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

export interface Posted {
  headers: IncomingHttpHeaders
  /** As it came. */
  body: string
  url: string
}

/** What is posted, as far as tests look at it. */
export interface Ending {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

const noContent: Answer = (_request, response) => response.writeHead(204).end()

/** An owner's server: keeps what is posted to it, and answers 204 unless it is told otherwise. */
export async function startReceiver(t: ExecutionContext) {
  const posted: Posted[] = []
  const receiver = { posted, answer: noContent }
  const site = await startHttpsSite(t, (request, response) => {
    void text(request).then((body) => {
      posted.push({ headers: request.headers, body, url: request.url ?? '' })
      return receiver.answer(request, response, body)
    })
  })
  return Object.assign(receiver, site, { url: `${site.origin}/endings`, host: new URL(site.origin).host })
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** What a receiver makes of a post with a library that is not ours; throws if the signature is wrong. */
export const verified = (secret: string | null, { body, headers }: Posted): Ending =>
  new Webhook(secret ?? '').verify(body, headers as Record<string, string>) as Ending

/** Where nobody listens, although it may be posted to. */
export const nobody = 'https://localhost:64999/'

/** The environment in which these receivers, and no others, may be posted to. */
const envFor = async (receivers: Receiver[]): Promise<Record<string, string>> => ({
  SITE_ALLOW: [...receivers.map(({ host }) => host), new URL(nobody).host].join(','),
  SITE_CA_FILE: (await temporaryCertificates()).caFile,
  CALLBACK_TIMEOUT_SECONDS: '3',
})

/**
 * Opens, for each test of a file, a process of its own that delivers when it is told to, a minute ahead of everybody
 * else's time and further at will. All share a platform without a worker and two receivers, on which each test begins
 * anew: they have to follow one another.
 */
export function callbacksForFile(test: TestFn) {
  const stage = forWholeFile(test, 'callbacks', async (t) => {
    const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
    const env = await envFor([receiver, other])
    return { receiver, other, platform: await startPlatform(t, { env }) }
  })
  return async (t: ExecutionContext, limits?: { timeoutSeconds: number }) => openCallbacks(t, await stage(), limits)
}

interface Stage {
  receiver: Receiver
  other: Receiver
  platform: Platform
}

async function openCallbacks(t: ExecutionContext, { receiver, other, platform }: Stage, limits = {}) {
  for (const one of [receiver, other]) Object.assign(one, { answer: noContent }).posted.splice(0)
  await platform.services.database.raw('truncate callbacks, callback_attempts')
  const someone = await customer(platform)
  const own = { ...platform.config, callbacks: { ...platform.config.callbacks, ...limits } }
  const clock = movableClock(new Date(Date.now() + 60_000).toISOString())
  const logs: string[] = []

  function openProcess(config: Config = own) {
    const logger = createLogger('debug', 'delivery', { write: (line: string) => void logs.push(line) })
    const services = createServices(config, logger, { clock })
    t.teardown(() => services.close())
    return services
  }
  const { deliverCallbacks } = openProcess()

  const agentAt = (callbackUrl = receiver.url) => agentOf(someone, { callbackUrl })
  /** A run that ends at once, as cancelled: nobody carries runs out here. */
  async function endedRun(agent: { id: string }): Promise<string> {
    const { id } = (await start(someone, agent)).body
    await cancel(someone, id).then(({ body }) => body)
    return id
  }
  const callbackOf = async (runId: string) => (await call(someone, callbacks.getCallback, { params: { runId } })).body
  const retry = async (runId: string) => (await call(someone, callbacks.retryCallback, { params: { runId } })).body
  const change = async (agentId: string, body: { callbackUrl: string | null }) =>
    (await call(someone, agents.updateAgent, { params: { agentId }, body })).body

  /** Delivers what is due, and returns how many posts came to the receiver by it. */
  async function round(): Promise<number> {
    const before = receiver.posted.length
    await deliverCallbacks()
    return receiver.posted.length - before
  }
  const inspected = { receiver, other, platform, someone, clock, logs }
  return { ...inspected, openProcess, agentAt, endedRun, callbackOf, retry, change, round }
}
