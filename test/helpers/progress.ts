/**
 * Returns a function to call after each of `all` things, or of an unknown number. It reports progress on stderr, because
 * ava shows logs only at the end.
 */
export function progressOf(what: string, all: number | undefined, every: number): () => void {
  let done = 0
  const begun = Date.now()
  return () => {
    done += 1
    if (done % every !== 0) return
    process.stderr.write(
      `  ${Math.round((Date.now() - begun) / 1000)} s: ${done}${all === undefined ? '' : ` of ${all}`} ${what}\n`,
    )
  }
}
