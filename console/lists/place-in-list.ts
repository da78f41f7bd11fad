/** The rows of a list that are in view: from `first` to before `end`. */
interface Shown {
  first: number
  end: number
}

/** Which rows of equal height a window shows, if the list begins `top` pixels below its upper edge. */
export function shownRows(top: number, rowHeight: number, windowHeight: number): Shown {
  return {
    first: Math.max(0, Math.floor(-top / rowHeight)),
    end: Math.max(0, Math.ceil((windowHeight - top) / rowHeight)),
  }
}

/** The rows that are drawn, with the active one, which keeps the focus while it is out of view. */
export function withRow(drawn: number[], at: number, count: number): number[] {
  if (at >= count || drawn.includes(at)) return drawn
  return [...drawn, at].toSorted((one, other) => one - other)
}
