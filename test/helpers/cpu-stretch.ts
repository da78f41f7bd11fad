/**
 * Does the work, and returns the processor time in milliseconds of the longest stretch in which this thread's event
 * loop got no turn. Unlike a delay, it says the same on a busy machine.
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
    // The last stretch ends with the turn in which the work ended.
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
