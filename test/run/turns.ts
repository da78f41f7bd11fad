export interface Asker {
  isSlow: boolean
  /** The lowest place goes first; equal places go in the order of asking. */
  place: number
}

interface Waiting extends Asker {
  begin: () => void
}

/**
 * Lets at most `all` go at a time, in the order of their places, and at most `slow` of the slow ones. Those mostly
 * wait, so others can compute beside them.
 */
export class Turns {
  private readonly waiting: Waiting[] = []
  private readonly free: { all: number; slow: number }

  constructor(all: number, slow: number) {
    this.free = { all, slow }
  }

  /** Resolves when it is the asker's turn. */
  async take(asker: Asker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const after = this.waiting.findLastIndex(({ place }) => place <= asker.place)
    this.waiting.splice(after + 1, 0, { ...asker, begin: resolve })
    this.next()
    return promise
  }

  /** Ends the turn. */
  pass({ isSlow }: Asker): void {
    this.free.all += 1
    if (isSlow) this.free.slow += 1
    this.next()
  }

  private next(): void {
    if (this.free.all === 0) return
    const index = this.waiting.findIndex(({ isSlow }) => !isSlow || this.free.slow > 0)
    const [next] = index === -1 ? [] : this.waiting.splice(index, 1)
    if (!next) return
    this.free.all -= 1
    if (next.isSlow) this.free.slow -= 1
    next.begin()
  }
}
