import type { ExecutionContext } from 'ava'
import type { ContactsOptions, ContactsSite } from '../../examples/sites/contacts/server.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { startLoops } from '../../src/loops.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { startPlatform, testEnvironment, type Platform } from '../helpers/platform.ts'
import { startProcess, type PlatformProcess } from '../helpers/processes.ts'
import { startContactsSite, startSites, type Sites } from '../helpers/sites.ts'

export interface StageOptions {
  /** The example sites, or those that the test has started itself. */
  sites?: boolean | Sites
  /** The site that uses OAuth, as far as it is to be otherwise than usual. */
  contacts?: Partial<ContactsOptions>
  /** Hosts that the platform may reach besides. */
  allow?: string[]
  /** A worker in this process, for tests that kill something else. */
  worker?: boolean
  env?: Record<string, string>
}

/**
 * What a test kills: an API in this process to look through, and workers and APIs as processes of their own, all of them
 * on the test's own database and task queue. Where Temporal is killed and not the worker, and whoever takes the place of a
 * worker that was killed, can be a worker in this process (`platform.startWorker`), which costs much less. The reconciler is
 * told to be quick.
 */
export async function openStage(t: ExecutionContext, options: StageOptions = {}) {
  const sites = options.sites === true ? await startSites(t) : options.sites || undefined
  const [port = 0] = await freePorts(1)
  // The API processes' own address, so that tokens which one API has issued are good at the other.
  const BASE_URL = `http://127.0.0.1:${port}`
  const contacts = options.contacts && (await openContacts(t, BASE_URL, options))
  // Long tests take longer than a quarter of an hour.
  const ACCESS_TOKEN_SECONDS = '3600'
  const seconds = { RECONCILE_SECONDS: '1', STALL_SECONDS: '2', ACCESS_TOKEN_SECONDS }
  const env = { BASE_URL, ...seconds, ...contacts?.env, ...options.env }
  const environment: Record<string, string> = await testEnvironment(t, { ...(sites && { sites }), env })
  const platform = await startPlatform(t, { env: environment, worker: options.worker ?? false })

  /** An API process, always at the same address, so that one can take the place of another. */
  const startApi = async (more: Record<string, string> = {}): Promise<PlatformProcess & { url: string }> => {
    const api = await startProcess(t, 'api', { ...environment, ...more, PORT: String(port) })
    return { ...api, url: BASE_URL }
  }
  return {
    platform,
    sites: sites as Sites,
    contacts: contacts?.site as ContactsSite,
    environment,
    startApi,
    startWorker: (more: Record<string, string> = {}, options: { bundles?: boolean } = {}) =>
      startProcess(t, 'worker', { ...environment, ...more }, options),
  }
}

async function openContacts(t: ExecutionContext, baseUrl: string, { contacts, allow: more = [] }: StageOptions) {
  const redirectUris = [`${baseUrl}/vault/oauth/callback`]
  const { site, caFile, allow } = await startContactsSite(t, { redirectUris, ...contacts })
  return { site, env: { SITE_CA_FILE: caFile, SITE_ALLOW: [...allow, ...more].join(',') } }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A customer who has connected the site whose tools misbehave. */
export async function connected({ platform, sites }: Pick<Stage, 'platform' | 'sites'>) {
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  return { someone, vaultEntryId, sites: [{ vaultEntryId }] }
}

/** The loops that every API and every worker has as a process, but not this one. */
export function reconcile(t: ExecutionContext, { services }: Platform): void {
  const loops = startLoops(services, 'everywhere')
  t.teardown(() => Promise.all(loops.map((loop) => loop.stop())))
}
