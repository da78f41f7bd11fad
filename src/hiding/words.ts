import { readingsOf, type Decoded } from './decoded.ts'
import { incompleteAt } from './escapes.ts'
import type { Effort, Matcher } from './matcher.ts'
import { replaced, type Span } from './units.ts'

/** A text that comes in pieces, see `Hiding`. */
export interface HiddenWords {
  /** What of the text so far can be shown now: all but what may be the beginning of a secret. */
  add: (piece: string) => string
  /** What was still kept back when the text ended, once the secrets are taken out of it. */
  end: <Hidden>(hide: (text: string) => Hidden) => Hidden
}

/** Watchers are shown no more than this. If so much has to be kept back, it is until the end. */
const mostKept = 128 * 1024
/** So much is looked at again with each piece. Of more, only an eighth has to be new, or each piece would take long. */
const keptAtEase = 256
/** In units that may be compared: at the beginning, and for each unit that comes. */
const [firstEffort, moreEffort] = [50_000, 16]

/**
 * Keeps back what may begin a secret, written in any way that is found in a whole text, and escapes that are not
 * complete; of most texts nothing.
 */
export function hideWords({ find, findOpen }: Matcher): HiddenWords {
  let [kept, fresh] = ['', 0]
  const effort: Effort = { left: firstEffort }

  function take(until: number): string {
    const taken = kept.slice(0, until)
    kept = kept.slice(until)
    fresh = 0
    return taken
  }

  function show(): string {
    const readings = readingsOf(kept)
    const spans = readings.flatMap(({ units, written }) => find(units, effort).map(written))
    const whole = incompleteAt(kept)
    const open = Math.min(whole, ...readings.map((reading) => openAt(reading, whole)))
    const until = before(spans, open)
    const done = spans.filter(([, to]) => to <= until)
    return replaced(take(until), done)
  }

  /** Where in the written text a secret may have begun. An escape that is not complete may become anything. */
  function openAt({ units, startOf, indexOf }: Decoded, whole: number): number {
    return startOf(findOpen(units.subarray(0, indexOf(whole)), effort))
  }

  return {
    add(piece) {
      kept += piece
      fresh += piece.length
      effort.left = Math.min(firstEffort, effort.left + moreEffort * piece.length)
      const isEnough = kept.length <= keptAtEase || fresh * 8 >= kept.length
      return isEnough && kept.length <= mostKept ? show() : ''
    },
    end: (hide) => hide(take(kept.length)),
  }
}

/** What overlaps with something that is kept back is kept with it. */
function before(spans: Span[], place: number): number {
  let until = place
  for (const [from, to] of spans.toSorted(([one], [other]) => other - one)) if (from < until && until < to) until = from
  return until
}
