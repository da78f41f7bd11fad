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
/** How much of the line a collapsed gap takes. */
const gapShare = 0.04

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
  const to = Math.max(from + 1, ...bars.map((bar) => bar.to ?? now))
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
      const piece = placed.findLast((each) => each.from <= time) ?? placed[0]
      if (!piece) return 0
      const share = Math.min(1, Math.max(0, (time - piece.from) / (piece.to - piece.from)))
      return piece.start + share * (piece.end - piece.start)
    },
  }
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
  const edges = [{ from, to: from }, ...work, { from: to, to }]
  const busy = work.reduce((sum, span) => sum + span.to - span.from, 0)
  const isLong = (ms: number) => busy > 0 && ms > longMs && ms > longShare * busy
  const shown = edges.slice(1).reduce((sum, edge, index) => {
    const ms = edge.from - (edges[index]?.to ?? from)
    return sum + (isLong(ms) ? 0 : ms)
  }, busy)
  const pieces: Piece[] = []
  const add = (start: number, end: number, isGap: boolean) => {
    if (end > start) pieces.push({ from: start, to: end, weight: isGap ? gapShare * shown : end - start, isGap })
  }
  edges.slice(1).forEach((edge, index) => {
    const before = edges[index]?.to ?? from
    add(before, edge.from, isLong(edge.from - before))
    add(edge.from, edge.to, false)
  })
  return pieces
}
