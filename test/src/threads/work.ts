/** What the threads of the tests do. */

export const add = ({ a, b }: { a: number; b: number }): number => a + b

export const spin = (): never => {
  for (;;) continue
}

export const grow = (): never => {
  const kept: number[][] = []
  for (;;) kept.push(Array.from({ length: 100_000 }, Math.random))
}

export const fail = (): never => {
  throw new Error('broken')
}

export const environment = (): string[] => Object.keys(process.env)

/** Takes this many milliseconds, and no processor time. */
export const stand = (ms: number): number => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  return ms
}
