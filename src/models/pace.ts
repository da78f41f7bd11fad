import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Milliseconds between two looks at how busy the event loop is. */
const lookEveryMs = 100

/** The longest rest. Readers see words at least this often, plus the time for which the process is busy. */
const longestRestMs = 400

/** A process that is busy for less of its time reads each word at once. */
const [busyFrom, busyTo] = [0.5, 0.9]

/** A stream rests for a tenth of its age at most, so an answer ends at most a tenth later. */
const shareOfAge = 0.1

/**
 * A piece this long, in bytes, may have more behind it than is kept: 64 KiB. A rest after each of them would make the
 * answer of a fast provider take several times as long.
 */
const longPiece = 32 * 1024

/**
 * Milliseconds for which a streamed answer rests after a piece of so many bytes. Each piece costs about the same,
 * however long it is, so a busy process reads fewer and longer ones. Otherwise the words of old answers would delay the
 * first words of new ones by seconds.
 *
 * @param now `busy`: the share of the last moments in which the event loop was busy, 0 to 1; `ageMs`: milliseconds since
 *   the first piece
 */
export function restMs(bytes: number, { busy, ageMs }: { busy: number; ageMs: number }): number {
  if (bytes >= longPiece) return 0
  const share = Math.min(1, Math.max(0, (busy - busyFrom) / (busyTo - busyFrom)))
  return Math.min(share * longestRestMs, ageMs * shareOfAge)
}

let seen: { at: number; utilization: EventLoopUtilization; busy: number } | undefined

/** The share of time, 0 to 1, in which the event loop of this process was busy of late. */
export function busyShare(): number {
  const now = performance.now()
  if (!seen || now - seen.at >= lookEveryMs) {
    const utilization = performance.eventLoopUtilization()
    const busy = seen ? performance.eventLoopUtilization(utilization, seen.utilization).utilization : 0
    seen = { at: now, utilization, busy }
  }
  return seen.busy
}
