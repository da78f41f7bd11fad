import type { Matcher, Span } from './matcher.ts'

/** A text that comes in pieces, see `Hiding`. */
export interface HiddenWords {
  /** What of the text so far can be shown now: all but what may be the beginning of a secret. */
  add: (piece: string) => string
  /** What was still kept back when the text ended, without the secrets. */
  end: () => string
}

/** So much is looked at again with each piece. Of more, only an eighth has to be new, or each piece would take long. */
const keptAtEase = 256

/** Keeps back what may begin a secret; of most texts nothing. */
export function hideWords({ find, openAt }: Matcher): HiddenWords {
  let [kept, fresh] = ['', 0]
  return {
    add(piece) {
      kept += piece
      fresh += piece.length
      if (kept.length > keptAtEase && fresh * 8 < kept.length) return ''
      const [spans, open] = [find(kept), openAt(kept)]
      // A secret whose end is not there yet, or that overlaps with what is kept back, is kept with it.
      const until = Math.min(open, spans.find(([, to]) => to > open)?.[0] ?? open)
      const shown = kept.slice(0, until)
      ;[kept, fresh] = [kept.slice(until), 0]
      return replaced(
        shown,
        spans.filter(([, to]) => to <= until),
      )
    },
    end: () => replaced(kept, find(kept)),
  }
}

/** The text with each of these places replaced, which are in order. */
export function replaced(text: string, spans: readonly Span[]): string {
  let [result, read] = ['', 0]
  for (const [from, to] of spans) {
    result += `${text.slice(read, from)}[token]`
    read = to
  }
  return result + text.slice(read)
}
