import type { Matcher, Span } from './matcher.ts'

/** A text that arrives in pieces, see `Hiding`. */
export interface HiddenStream {
  /** Adds a piece and returns the text that can be shown now: all but a possible beginning of a secret. */
  add: (piece: string) => string
  /** Returns the masked remainder at the end of the text. */
  end: () => string
}

/** Units that are searched again with each piece. Above this, an eighth must be new, or each piece would take long. */
const keptAtEase = 256

/** Withholds possible beginnings of secrets. Most texts have none. */
export function hideStream({ find, openAt }: Matcher): HiddenStream {
  let [kept, fresh] = ['', 0]
  return {
    add(piece) {
      kept += piece
      fresh += piece.length
      if (kept.length > keptAtEase && fresh * 8 < kept.length) return ''
      const [spans, open] = [find(kept), openAt(kept)]
      // Keep a secret whose end is missing, or that overlaps with the withheld text.
      const until = Math.min(open, spans.find(([, to]) => to > open)?.[0] ?? open)
      const shown = kept.slice(0, until)
      ;[kept, fresh] = [kept.slice(until), 0]
      return maskSpans(
        shown,
        spans.filter(([, to]) => to <= until),
      )
    },
    end: () => maskSpans(kept, find(kept)),
  }
}

export function maskSpans(text: string, spans: readonly Span[]): string {
  let [result, read] = ['', 0]
  for (const [from, to] of spans) {
    result += `${text.slice(read, from)}[token]`
    read = to
  }
  return result + text.slice(read)
}
