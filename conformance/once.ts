/** Makes it once, under this name, for all who ask. */
export type Once = <T>(name: string, make: () => Promise<T>) => Promise<T>

/** Remembers what was made under a name, also while it is being made. */
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
