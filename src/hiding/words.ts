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

  function show(open: number): string {
    const spans = find(kept)
    // What overlaps with something that is kept back is kept with it.
    const until = spans.find(([from, to]) => from < open && open < to)?.[0] ?? open
    const [shown, rest] = [kept.slice(0, until), kept.slice(until)]
    ;[kept, fresh] = [rest, 0]
    return replaced(
      shown,
      spans.filter(([, to]) => to <= until),
    )
  }

  return {
    add(piece) {
      kept += piece
      fresh += piece.length
      return kept.length <= keptAtEase || fresh * 8 >= kept.length ? show(openAt(kept)) : ''
    },
    end: () => show(kept.length),
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
