import { Webhook } from 'standardwebhooks'
import { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { isTransient, type Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
import { retryAfter } from '../safe-fetch/retry-after.ts'
import type { OwnFetch, OwnResponse } from '../safe-fetch/own-fetch.ts'
import { SafeFetchError, type SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { limitedHost } from '../tools/limited-host.ts'
import { OutgoingHost } from '../tools/outgoing-host.ts'
import type { NotificationWebhooks } from '../notifications/webhooks.ts'
import { isOfRun, type Callback, type Subject } from './callback.ts'
import { readCallbackBody } from './callback-body.ts'

/** The outcome of one attempt. `gone`: the receiver wants no more attempts. */
export interface Attempted {
  kind: 'delivered' | 'failed' | 'gone'
  at: Date
  latencyMs: number
  httpStatus: number | null
  /** One sentence. It quotes nothing of the receiver except the status. */
  outcome: string
  /** Why no response came, as a word or code for the log. */
  cause?: string
  /** In seconds. */
  retryAfter?: number
}

type Addressed = Subject & Pick<Callback, 'url'>
type Result = Omit<Attempted, 'at' | 'latencyMs'>

/** Builds, signs and sends a callback once. */
export function createPost(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'callbacks' | 'sites'>
  logger: Logger
  agents: Agents
  notificationWebhooks: Pick<NotificationWebhooks, 'contentOf'>
  fetch: SafeFetch
  ownFetch: Pick<OwnFetch, 'post'>
}) {
  const { database, clock, config, logger, agents, notificationWebhooks, fetch, ownFetch } = context

  /** Works for deleted agents too. Throws if the vault key is missing. */
  async function secretOf(agentId: string): Promise<string> {
    const agent = await Agent.query(database).findById(agentId).throwIfNotFound()
    const secret = agents.callbackSecretOf(agent)
    if (secret === null) throw new Error('an agent has callbacks but no secret for them')
    return secret
  }

  /** What to post, and the secret that signs it. undefined if its owner wants it no longer. */
  const contentOf = async (callback: Addressed): Promise<{ secret: string; body: string } | undefined> =>
    isOfRun(callback)
      ? { secret: await secretOf(callback.agentId), body: await readCallbackBody(database, callback.runId) }
      : notificationWebhooks.contentOf(callback)

  async function isSuspended(url: string): Promise<boolean> {
    const host = await OutgoingHost.query(database).findById(limitedHost(url, config.sites))
    return !!host?.suspendedAt
  }

  async function send({ id, ownerId, url }: Addressed, { secret, body }: { secret: string; body: string }, at: Date) {
    const headers = {
      'Content-Type': 'application/json',
      'Webhook-Id': id,
      'Webhook-Timestamp': String(Math.floor(at.getTime() / 1000)),
      'Webhook-Signature': new Webhook(secret).sign(id, at, body),
    }
    const timeoutMs = config.callbacks.timeoutSeconds * 1000
    if (ownerId === systemOwnerId) return classifyOwn(await ownFetch.post({ url, headers, body, timeoutMs }))
    const request = { url, method: 'POST', headers, body, timeoutMs, maxBytes: 0 } as const
    return classify(await fetch({ ...request, showRedirect: true, ignoreBody: true }))
  }

  async function attempt(callback: Addressed, at: Date): Promise<Result> {
    if (await isSuspended(callback.url)) return failed('The platform operator has suspended calls to this host.')
    const content = await contentOf(callback)
    return content ? send(callback, content, at) : removed
  }

  /** Rethrows only transient database errors, which happen before anything is sent. */
  function resultOfError(error: unknown, { id, ownerId, url }: Addressed): Result {
    if (error instanceof SafeFetchError) return { ...failed(error.message), cause: error.code ?? error.reason }
    if (isTransient(error)) throw error
    if (ownerId === systemOwnerId) return failed(`The API did not answer at ${url}.`)
    logger.error({ err: error, callbackId: id }, 'failed to build a callback')
    return failed('The platform could not make the request because of an internal error.')
  }

  /** Makes one attempt and returns its outcome. Throws only if its subject cannot be read, before anything is sent. */
  return async function post(callback: Addressed): Promise<Attempted> {
    const at = clock.now()
    const begun = performance.now()
    const result = await attempt(callback, at).catch((error: unknown) => resultOfError(error, callback))
    return { ...result, at, latencyMs: Math.round(performance.now() - begun) }
  }
}

const removed: Result = {
  kind: 'gone',
  httpStatus: null,
  outcome: 'The webhook has been removed, so no more attempts will be made.',
}

const failed = (outcome: string): Result => ({ kind: 'failed', httpStatus: null, outcome })

/** Our own API is tried again, whatever it answers. */
const classifyOwn = ({ status }: OwnResponse): Result => classify({ status, headers: new Headers() })

/** 2xx is delivered and 410 is final (Standard Webhooks, "Webhook delivery"). Anything else is retried. */
function classify({ status, headers }: { status: number; headers: Headers }): Result {
  if (status >= 200 && status < 300)
    return { kind: 'delivered', httpStatus: status, outcome: `The receiver responded with ${status}.` }
  if (status === 410)
    return {
      kind: 'gone',
      httpStatus: status,
      outcome: 'The receiver responded with 410, so no more attempts will be made.',
    }
  const more = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
  const wait = status === 429 || status === 503 ? retryAfter(headers) : {}
  return { kind: 'failed', httpStatus: status, outcome: `The receiver responded with ${status}${more}.`, ...wait }
}
