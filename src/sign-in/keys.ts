import { isObject } from '../json.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import * as oauth from 'oauth4webapi'
import { later, type Clock } from '../clock.ts'
import { CodedError } from '../errors.ts'
import type { FetchFor } from './discovery.ts'
import { passes } from './failure.ts'
import type { Provider } from './provider.ts'

/** How long a key set is cached, in seconds, and so how long a withdrawn key still counts. */
const freshSeconds = 300
/** The shortest time between two requests for a set, in milliseconds. Concurrent needs share the next one. */
const pauseMs = 1000
/** The most cached sets in a process. */
const remembered = 500

interface Known {
  readAt: Date
  /** By the process's clock, which tests do not move. */
  askedAt: number
  keys: Promise<oauth.JWKS>
}

type Server = oauth.AuthorizationServer

/**
 * Providers' signing keys. A signature that the cached set cannot verify triggers a fresh read, so key rotation locks
 * nobody out. Concurrent needs share one request.
 */
export function createKeys({ clock, fetchFor }: { clock: Clock; fetchFor: FetchFor }) {
  const known = new LRUCache<string, Known>({ max: remembered })
  const reading = new Map<string, Promise<oauth.JWKS>>()

  const nameOf = ({ workspaceProviderId }: Provider, { jwks_uri: uri }: Server): string =>
    `${workspaceProviderId === null ? 'installation' : 'workspace'} ${uri}`

  async function ask(provider: Provider, { jwks_uri: uri = '' }: Server): Promise<oauth.JWKS> {
    const headers = { accept: 'application/json' }
    const answer = await fetchFor(provider)(uri, { method: 'GET', headers, redirect: 'manual', body: undefined })
    const privateDetail = `the address of the keys responded with ${answer.status}`
    if (passes(answer.status)) throw new CodedError('SITE_UNAVAILABLE', { message: noKeys, privateDetail })
    if (answer.status !== 200) throw new CodedError('PERMISSION_DENIED', { message: noKeys, privateDetail })
    const set: unknown = await answer.json()
    if (!isSet(set)) throw new Error('the response is not a set of keys')
    return set
  }

  function read(provider: Provider, server: Server): Promise<oauth.JWKS> {
    const name = nameOf(provider, server)
    const keys = ask(provider, server)
    const entry = { readAt: clock.now(), askedAt: performance.now(), keys }
    known.set(name, entry)
    keys.catch(() => known.get(name) === entry && known.delete(name))
    return keys
  }

  function current(provider: Provider, server: Server): Promise<oauth.JWKS> {
    const found = known.get(nameOf(provider, server))
    const isFresh = found && later(found.readAt, freshSeconds) > clock.now()
    return isFresh ? found.keys : read(provider, server)
  }

  /** A newer set than `seen`: read now, or by a concurrent request. */
  async function newer(provider: Provider, server: Server, seen: oauth.JWKS): Promise<oauth.JWKS> {
    const name = nameOf(provider, server)
    const latest = known.get(name)
    if (latest && (await latest.keys) !== seen) return latest.keys
    const begun = reading.get(name) ?? readSoon(provider, server).finally(() => reading.delete(name))
    reading.set(name, begun)
    return begun
  }

  async function readSoon(provider: Provider, server: Server): Promise<oauth.JWKS> {
    const { askedAt = -Infinity } = known.get(nameOf(provider, server)) ?? {}
    await delay(Math.max(0, askedAt + pauseMs - performance.now()))
    return read(provider, server)
  }

  /** Bypasses the library's own cache, which would refuse unknown keys for a minute. */
  const check = (provider: Provider, server: Server, answer: Response, jwks: oauth.JWKS): Promise<void> =>
    oauth.validateApplicationLevelSignature({ ...server }, answer, {
      [oauth.customFetch]: fetchFor(provider),
      [oauth.jwksCache]: { jwks, uat: Math.floor(Date.now() / 1000) },
    })

  return {
    /**
     * Verifies the signature of the ID token in a processed response. Fails with the library's errors, SafeFetchError.
     */
    async verify(provider: Provider, server: Server, answer: Response): Promise<void> {
      const seen = await current(provider, server)
      try {
        await check(provider, server, answer, seen)
      } catch {
        await check(provider, server, answer, await newer(provider, server, seen))
      }
    },

    forget: (): void => known.clear(),
  }
}

export type Keys = ReturnType<typeof createKeys>

const noKeys = "The sign-in failed because the sign-in provider's keys are invalid or cannot be read."

const isSet = (value: unknown): value is oauth.JWKS =>
  isObject(value) && Array.isArray(value['keys']) && value['keys'].every(isObject)
