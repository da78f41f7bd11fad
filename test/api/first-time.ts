/**
 * Tells whether a thing is met under this name for the first time: for loops over all routes that try everything on the
 * first of those that share a function, and one of everything on the others.
 */
export function firstTime() {
  const met = new Map<unknown, Set<string>>()
  return (thing: unknown, name: string): boolean => {
    const names = met.get(thing) ?? new Set()
    met.set(thing, names)
    return names.size < names.add(name).size
  }
}
