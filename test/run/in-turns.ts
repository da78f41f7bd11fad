import { registerHooks } from 'node:module'
import ava, { type ExecutionContext } from 'ava'

/**
 * Stands for `ava` in files that share a process. ava begins all tests of a process at once, which is right for one file
 * and too much for ten: deadlines would pass while others compute. Here few run at a time; the others wait their turn.
 */
const atOnce = 4

type Implementation = (t: ExecutionContext, ...given: unknown[]) => unknown

let running = 0
const waiting: (() => void)[] = []

const inTurn =
  (implementation: Implementation): Implementation =>
  async (t, ...given) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await implementation(t, ...given)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

/** Only `test(title, implementation)` itself: tests that are serial run one by one anyway. */
const test = new Proxy(ava, {
  apply: (target, self, given: unknown[]) =>
    Reflect.apply(
      target,
      self,
      given.map((one) => (typeof one === 'function' ? inTurn(one as Implementation) : one)),
    ) as unknown,
})

/** From now on, whoever loads ava gets this module in its place. */
export function runInTurns(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && context.parentURL !== import.meta.url
        ? { url: import.meta.url, shortCircuit: true }
        : next(specifier, context),
  })
}

export { test as default }
