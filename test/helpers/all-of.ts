/** Runs all functions in sequence, even if some fail, and then throws the first error. */
export async function allOf(work: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const one of work) {
    try {
      await one()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
