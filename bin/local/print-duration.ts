/** Does the work and prints its duration. */
export async function printDuration<T>(name: string, run: () => PromiseLike<T>): Promise<T> {
  const began = performance.now()
  const result = await run()
  console.log(`${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return result
}
