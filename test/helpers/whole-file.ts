import type { ExecutionContext, TestFn } from 'ava'
import { allOf } from './all-of.ts'

/**
 * Makes something once for all tests of a file, when the first of them wants it, and takes it down after the last: for
 * what is costly to make, and in which tests do not meet because each makes things of its own.
 */
export function forWholeFile<T>(test: TestFn, title: string, make: (t: ExecutionContext) => Promise<T>) {
  const teardowns: (() => unknown)[] = []
  // Of a test's context, helpers need these two.
  const context = { title, teardown: (work: () => unknown) => void teardowns.push(work) }
  let made: Promise<T> | undefined
  test.after.always(() => allOf(teardowns.toReversed()))
  return () => (made ??= make(context as unknown as ExecutionContext))
}
