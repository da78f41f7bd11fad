const setLater = (work: () => void, ms: number): void => void setTimeout(work, ms)

/** Calls `work` once for all calls within so many milliseconds, with the value of the last one. */
export function together<Value>(ms: number, work: (last: Value) => void, later = setLater): (value: Value) => void {
  let waiting: { value: Value } | undefined
  return (value) => {
    if (waiting) {
      waiting.value = value
      return
    }
    waiting = { value }
    later(() => {
      const last = waiting
      waiting = undefined
      if (last) work(last.value)
    }, ms)
  }
}
