import type { Bar } from './building.ts'

/** A time in which nothing was done, drawn shorter than it was. */
interface Gap {
  from: number
  to: number
  /** Where it begins and ends on the line, from 0 to 1. */
  start: number
  end: number
}

export interface Scale {
  from: number
  to: number
  /** Where a time is on the line, from 0 to 1. */
  at: (time: number) => number
  gaps: Gap[]
}

/** A gap is collapsed if it is longer than this share of the work, and longer than two seconds. */
const longShare = 0.25
const longMs = 2000
/** How much of the line a collapsed gap takes beside the rest, and all of them at most. */
const gapShare = 0.04
const gapsShare = 0.4

interface Piece {
  from: number
  to: number
  weight: number
  isGap: boolean
}

/**
 * The line of a run: time in which model or tools worked is to scale, and long times between are collapsed, so that a
 * run that waited for a night can still be read.
 */
export function scaleOf(bars: readonly Bar[], now: number): Scale {
  const from = bars[0]?.from ?? now
  const to = bars.reduce((latest, bar) => Math.max(latest, bar.to ?? now), from + 1)
  const pieces = piecesOf(workOf(bars, now), from, to)
  const whole = pieces.reduce((sum, { weight }) => sum + weight, 0)
  let place = 0
  const placed = pieces.map((piece) => {
    const start = place / whole
    place += piece.weight
    return { ...piece, start, end: place / whole }
  })
  return {
    from,
    to,
    gaps: placed.filter(({ isGap }) => isGap),
    at(time) {
      const piece = placed[lastBegun(placed, time)]
      if (!piece) return 0
      const share = Math.min(1, Math.max(0, (time - piece.from) / (piece.to - piece.from)))
      return piece.start + share * (piece.end - piece.start)
    },
  }
}

/** The index of the last of these pieces, which are in order, that has begun at that time. Before all, the first one's. */
function lastBegun(pieces: readonly Piece[], time: number): number {
  let [low, high] = [0, pieces.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((pieces[middle]?.from ?? 0) <= time) low = middle
    else high = middle
  }
  return low
}

/** The times in which model or tools worked, joined and in order. */
function workOf(bars: readonly Bar[], now: number): { from: number; to: number }[] {
  const spans = bars
    .filter(({ kind }) => kind === 'step' || kind === 'tool')
    .map((bar) => ({ from: bar.from, to: bar.to ?? now }))
    .toSorted((one, other) => one.from - other.from)
  const joined: { from: number; to: number }[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else joined.push({ ...span })
  }
  return joined
}

function piecesOf(work: { from: number; to: number }[], from: number, to: number): Piece[] {
  const busy = work.reduce((sum, span) => sum + span.to - span.from, 0)
  const isLong = (ms: number) => busy > 0 && ms > longMs && ms > longShare * busy
  const pieces: Piece[] = []
  let before = from
  for (const edge of [...work, { from: to, to }]) {
    const idle = edge.from - before
    if (idle > 0) pieces.push({ from: before, to: edge.from, weight: idle, isGap: isLong(idle) })
    if (edge.to > edge.from) pieces.push({ ...edge, weight: edge.to - edge.from, isGap: false })
    before = edge.to
  }
  const gaps = pieces.filter(({ isGap }) => isGap)
  const shown = pieces.reduce((sum, { weight, isGap }) => sum + (isGap ? 0 : weight), 0)
  for (const gap of gaps) gap.weight = shown * Math.min(gapShare, gapsShare / gaps.length)
  return pieces
}
