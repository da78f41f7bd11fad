import pMap from 'p-map'
import type { Config } from '../../src/config/config.ts'
import { assertThat, CodedError } from '../../src/errors.ts'
import { secondsInWords } from '../../src/amounts-in-words.ts'
import type { Allowance } from '../../src/billing/allowances.ts'
import type { Logger } from '../../src/logger.ts'
import type { AccessChanges } from '../../src/owners/access-changes.ts'
import { createShares } from '../../src/shares/shares.ts'

export interface OpenStream {
  /** Streams with the same key have the same caller and resource, so one check covers all. */
  key: string
  /** The reader's account and its limits. */
  party: string
  allowance: Allowance
  /** Repeats the checks from the start of the stream, with the same errors. */
  admit: () => Promise<void>
  /** Ends the stream, with an error event if there is a cause. */
  end: (cause?: CodedError) => void
}

/** Seconds after which a refused client may be admitted, here or by another process. */
const retryAfter = 10

/** How often to check for lost permissions, in milliseconds. */
const lookMs = 1000

/**
 * How long a process may be unable to look before its streams end, in milliseconds. Shorter outages of the database are
 * waited out: an EventSource gives up if it reconnects to a process that cannot read the record.
 */
const longestAwayMs = 20_000

/** Anyone can trigger checks by changing logins and keys, so checks take at most a quarter of the time. */
const restAfterLook = 3

/** How many checks run at a time, so that they do not occupy the database. */
const concurrency = 4

/**
 * The open streams of this process. Readers share a limited number, their access is checked periodically, and all
 * streams end when the process stops.
 */
export function createOpenStreams(given: {
  config: Pick<Config, 'streams'>
  logger: Logger
  accessChanges: Pick<AccessChanges, 'latest'>
  stopping: AbortSignal
  awayMs?: number
}) {
  const { logger, stopping, accessChanges, awayMs = longestAwayMs } = given
  const { limit, checkSeconds } = given.config.streams
  /** Each stream with the latest access change known before its check; undefined before its first check here. */
  const streams = new Map<OpenStream, number | undefined>()
  const shares = createShares(limit)
  let rounds: NodeJS.Timeout | undefined
  let looks: NodeJS.Timeout | undefined
  let checking = false
  /** When the look in progress, or the first of those that failed since the last success, began. */
  let blindSince: number | undefined
  let looking = false
  let restsUntil = 0
  stopping.addEventListener('abort', () => endAll([...streams.keys()]))

  /**
   * Adds the stream, and returns the function that removes it. Fails with RATE_LIMITED at the limit of the tier, or if
   * the reader's share of this process is used up.
   */
  function enter(stream: OpenStream): () => void {
    const { party, allowance } = stream
    const { tier, limits } = allowance
    const { openStreams } = limits
    const again = `Close one, or try again in ${secondsInWords(retryAfter)}.`
    const most = `You have ${openStreams} open streams on this server, which is the limit ${tier === null ? 'for this platform' : `for the ${tier} tier`}. ${again}`
    assertThat(shares.holds(party) < openStreams, 'RATE_LIMITED', { message: most, retryAfter })
    const share = `You have reached your share of this server's stream capacity. ${again}`
    assertThat(shares.take(party), 'RATE_LIMITED', { message: share, retryAfter })
    streams.set(stream, undefined)
    rounds ??= setInterval(() => void round([...streams.keys()]), checkSeconds * 1000).unref()
    looks ??= setInterval(() => void look(), lookMs).unref()
    if (stopping.aborted) stream.end()
    return () => leave(stream)
  }

  function leave(stream: OpenStream): void {
    if (!streams.delete(stream)) return
    shares.release(stream.party)
    if (streams.size > 0) return
    clearInterval(rounds)
    clearInterval(looks)
    rounds = looks = blindSince = undefined
  }

  /**
   * Checks every stream whose last check came before the latest access change. That includes new streams, because the
   * change may have come after their request was permitted.
   */
  async function look(): Promise<void> {
    const began = performance.now()
    if (began < restsUntil) return
    blindSince ??= began
    // Another process may reach the database. Readers reconnect to it, as they do when this one stops.
    if (began - blindSince > awayMs) endAll([...streams.keys()])
    if (looking) return
    looking = true
    // The database is probably unreachable, and the streams send nothing in the meantime.
    const latest = await accessChanges.latest().catch(() => undefined)
    looking = false
    if (latest === undefined) return
    blindSince = undefined
    const behind = [...streams].filter(([, known]) => known !== latest).map(([stream]) => stream)
    await round(behind, latest)
    const now = performance.now()
    restsUntil = now + restAfterLook * (now - began)
  }

  /** Checks these streams. `latest` is the last change of access known before. */
  async function round(some: OpenStream[], latest?: number): Promise<void> {
    if (checking || some.length === 0) return
    checking = true
    const groups = Map.groupBy(some, ({ key }) => key)
    const checkOne = async (group: OpenStream[]) => {
      await check(group)
      for (const stream of group) if (latest !== undefined && streams.has(stream)) streams.set(stream, latest)
    }
    await pMap(groups.values(), checkOne, { concurrency, stopOnError: false }).catch((error: unknown) => {
      // The database is probably unreachable, and the streams send nothing in the meantime.
      logger.warn({ err: error }, 'failed to check open streams')
    })
    checking = false
  }

  return { enter }
}

export type OpenStreams = ReturnType<typeof createOpenStreams>

async function check(group: OpenStream[]): Promise<void> {
  try {
    await group[0]?.admit()
  } catch (error) {
    if (!(error instanceof CodedError) || error.status >= 500) throw error
    endAll(group, error)
  }
}

function endAll(streams: OpenStream[], cause?: CodedError): void {
  for (const { end } of streams) end(cause)
}
