export interface Asker {
  isSlow: boolean
  /** Whose turn comes first: the lower one's, and of equals that of who asked first. */
  place: number
}

interface Waiting extends Asker {
  begin: () => void
}

/**
 * Lets so many go at once, in the order of their places. Of those that are slow, because they mostly wait, fewer go at
 * once, so that there is something to compute beside them.
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

  /** The turn is over. */
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
