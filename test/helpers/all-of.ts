/** Does all of it, one after the other, although some of it fails; throws what failed first. */
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
