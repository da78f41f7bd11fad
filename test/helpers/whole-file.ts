import type { ExecutionContext, TestFn } from 'ava'
import { allOf } from './all-of.ts'

/**
 * Makes something once for all tests of a file, on first use, and tears it down after the last test. Use it for
 * expensive objects where tests do not interfere, because each uses its own data.
 */
export function forWholeFile<T>(test: TestFn, title: string, make: (t: ExecutionContext) => Promise<T>) {
  const teardowns: (() => unknown)[] = []
  // Helpers need only these two members of a test's context.
  const context = { title, teardown: (work: () => unknown) => void teardowns.push(work) }
  let made: Promise<T> | undefined
  test.after.always(() => allOf(teardowns.toReversed()))
  return () => (made ??= make(context as unknown as ExecutionContext))
}
