interface Arrival {
  /** How many bytes have arrived. */
  measure: () => number
  say: (text: string) => void
  /** For how many seconds nothing may arrive, and how long the first byte may take. */
  idleSeconds: number
  firstSeconds: number
  giveUp: () => void
}

/** Reports every five seconds what has arrived, and gives up when nothing arrives: no start may hang on a download. */
export function watchArrival({ measure, say, idleSeconds, firstSeconds, giveUp }: Arrival) {
  const began = Date.now()
  let [bytes, changed, reported, silentSeconds] = [0, began, began, 0]
  const timer = setInterval(() => {
    const now = measure()
    if (now !== bytes) [bytes, changed] = [now, Date.now()]
    if (Date.now() - reported > 5000) {
      reported = Date.now()
      say(`  ${Math.round((reported - began) / 1000)} s: ${Math.round(bytes / 1e6)} MB so far`)
    }
    const limit = bytes === 0 ? firstSeconds : idleSeconds
    if (Date.now() - changed < limit * 1000) return
    silentSeconds = limit
    giveUp()
  }, 500)
  return {
    end: () => clearInterval(timer),
    /** Why it gave up, if it did. */
    silence: () => (silentSeconds > 0 ? `nothing arrived for ${silentSeconds} s` : undefined),
  }
}
