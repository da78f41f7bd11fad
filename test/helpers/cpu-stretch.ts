/**
 * Does the work, and returns the processor time in milliseconds of its longest block of this thread's event loop.
 * Unlike a delay, the result does not depend on how busy the machine is.
 */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let [used, longest] = [cpuMs(), 0]
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - used)
    used = now
  }
  const looking = setInterval(look, 1)
  try {
    await work()
    // The last block ends with the turn in which the work ended.
    await new Promise((resolve) => setTimeout(resolve, 2))
    return longest
  } finally {
    clearInterval(looking)
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
