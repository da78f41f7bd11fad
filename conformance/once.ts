/** Makes a value once per name, for all callers. */
export type Once = <T>(name: string, make: () => Promise<T>) => Promise<T>

/** Remembers values by name, including those still in progress. */
export function createOnce(): Once {
  const made = new Map<string, Promise<unknown>>()
  return <T>(name: string, make: () => Promise<T>) => {
    const known = made.get(name)
    if (known) return known as Promise<T>
    const making = make()
    made.set(name, making)
    return making
  }
}
