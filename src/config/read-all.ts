import { ConfigError } from './environment.ts'

/** The results of several readers. Throws one ConfigError with all their problems, without duplicates. */
export function readAll<T extends Record<string, () => unknown>>(readers: T) {
  const problems = new Set<string>()
  const attempt = (read: () => unknown): unknown => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      error.problems.forEach((problem) => problems.add(problem))
      return undefined
    }
  }
  const results = Object.entries(readers).map(([name, read]) => [name, attempt(read)])
  if (problems.size > 0) throw new ConfigError([...problems])
  return Object.fromEntries(results) as { [K in keyof T]: ReturnType<T[K]> }
}
