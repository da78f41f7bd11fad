import { registerHooks } from 'node:module'
import ava, { type ExecutionContext } from 'ava'
import { durationsLog } from '../helpers/servers.ts'
import { noteDuration } from './durations.ts'

/**
 * Stands for `ava` in files that share a process. ava begins all tests of a process at once, which is right for one file
 * and too much for ten: deadlines would pass while others compute. Here few run at a time; the others wait their turn.
 * And ava takes down what is shared within a file when the process ends; here that happens after the file's last test,
 * because what is left standing polls and is in the way of all others.
 */
const atOnce = 4

type Implementation = (t: ExecutionContext, ...given: unknown[]) => unknown

/** A file whose tests take turns with those of others. */
class SharingFile {
  /** How many of its tests are still to end. */
  left = 0
  /** When the first of them began, in milliseconds. */
  began: number | undefined
  readonly takeDown: (() => unknown)[] = []
  private readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** What is to be taken down is taken down once: after the last test, or at the end if not all tests of the file ran. */
  async end(): Promise<void> {
    for (const hook of this.takeDown.splice(0)) await hook()
    if (this.began === undefined) return
    noteDuration(durationsLog(), { file: this.name, seconds: (performance.now() - this.began) / 1000 })
    this.began = undefined
  }
}

const root = new URL('../../', import.meta.url)
let current = new SharingFile('')
let running = 0
const waiting: (() => void)[] = []

function inTurn(file: SharingFile, implementation: Implementation): Implementation {
  file.left += 1
  return async (t, ...given) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    file.began ??= performance.now()
    // The first to be asked for is the last to be done.
    t.teardown(async () => {
      file.left -= 1
      if (file.left === 0) await file.end()
      pass()
    })
    try {
      return await implementation(t, ...given)
    } catch (error) {
      throw traceable(error)
    }
  }
}

/** ava's report ends in the middle at an error that does not say where it comes from, as those of fetch may not. */
function traceable(error: unknown): unknown {
  if (!(error instanceof Error) || error.stack?.includes('\n    at ')) return error
  return new Error(error.message, { cause: error })
}

function pass(): void {
  const next = waiting.shift()
  if (next) next()
  else running -= 1
}

const after = Object.assign(((...given: Parameters<typeof ava.after>) => ava.after(...given)) as typeof ava.after, {
  always: (hook: () => unknown) => void current.takeDown.push(hook),
})

/** `test(title, implementation)` and `test.after.always(hook)`; tests that are serial run one by one anyway. */
const test = new Proxy(ava, {
  apply: (target, self, given: unknown[]) =>
    Reflect.apply(
      target,
      self,
      given.map((one) => (typeof one === 'function' ? inTurn(current, one as Implementation) : one)),
    ) as unknown,
  get: (target, name) => (name === 'after' ? after : (Reflect.get(target, name) as unknown)),
})

/** Loads files of tests, by their paths inside the project. Whichever of their code loads ava gets this module in its place. */
export async function loadInTurns(files: string[]): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && context.parentURL !== import.meta.url
        ? { url: import.meta.url, shortCircuit: true }
        : next(specifier, context),
  })
  for (const path of files) {
    const file = (current = new SharingFile(path))
    await import(new URL(path, root).href)
    ava.after.always(() => file.end())
  }
}

export { test as default }
