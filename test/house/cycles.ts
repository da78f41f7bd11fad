import type { SourceFile } from './source.ts'

/**
 * Import cycles, each reported once, at its alphabetically first file. Type imports count too: files that need each
 * other's types cannot be read separately either.
 */
export function findCycles(files: Pick<SourceFile, 'path' | 'imports'>[]): { path: string; problem: string }[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  const done = new Set<string>()
  const found = new Map<string, string[]>()

  function visit(path: string, trail: string[]): void {
    const start = trail.indexOf(path)
    if (start !== -1) return note(trail.slice(start))
    if (done.has(path)) return
    for (const target of targets.get(path) ?? []) if (targets.has(target)) visit(target, [...trail, path])
    done.add(path)
  }

  function note(circle: string[]): void {
    const first = circle.indexOf(circle.toSorted()[0] ?? '')
    const turned = [...circle.slice(first), ...circle.slice(0, first)]
    found.set(turned.join(' '), turned)
  }

  for (const { path } of files) visit(path, [])
  return [...found.values()].map((circle) => ({
    path: circle[0] ?? '',
    problem: `imports itself: ${[...circle, circle[0]].join(' → ')}`,
  }))
}

/** A room is a folder inside a folder of `src/`: `src/runs/step`. */
const roomOf = (path: string): string | undefined => /^src\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0]

/** Cycles between the rooms of a noun: `runs/step` may import `runs/ending` only if nothing there imports it back. */
export function findRoomCycles(files: SourceFile[]): { path: string; problem: string }[] {
  const rooms = Map.groupBy(
    files.filter(({ path }) => roomOf(path)),
    ({ path }) => roomOf(path) as string,
  )
  const asFiles = [...rooms].map(([path, inside]) => {
    const imports = inside
      .flatMap((file) => file.imports)
      .map((entry) => ({ ...entry, target: roomOf(entry.target) ?? '' }))
      .filter(({ target }) => target !== path)
    return { path, imports }
  })
  return findCycles(asFiles).map(({ path, problem }) => ({
    path: rooms.get(path)?.[0]?.path ?? path,
    problem: `is in a room that ${problem}`,
  }))
}
