import { registerHooks } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import ava, { type ExecutionContext } from 'ava'
import pLimit from 'p-limit'
import { allOf } from '../helpers/all-of.ts'
import { noteProgress } from './progress.ts'

/**
 * Replaces `ava` in files that share a process. ava starts all tests of a process at the same time, which suits one
 * file but not a hundred, because deadlines would pass while others compute. Here few tests run at a time, in the
 * order of their files. ava also tears down shared state at the end of the process. Here that happens after the file's
 * last test, because running servers poll and slow the other tests.
 */
const limit = pLimit(4)

type Implementation = (t: ExecutionContext, ...given: unknown[]) => unknown

/** Resolves with the function that ends this turn, once few tests run. */
async function takeTurn(): Promise<() => void> {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  void limit(() => (begun.resolve(), over.promise))
  await begun.promise
  return over.resolve
}

/** A file whose tests take turns with those of other files. */
class SharingFile {
  declared = 0
  /** How many of its tests ava has called that have not ended. */
  open = 0
  /** Whether one of its tests is serial. Then all of them share one turn and run one by one. */
  isSerial = false
  readonly takeDown: (() => unknown)[] = []
  private turn: Promise<() => void> | undefined
  private last: Promise<void> = Promise.resolve()
  private readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** Resolves when one of its tests may run, with the function that lets the next one run. */
  async begin(): Promise<() => void> {
    if (!this.isSerial) return takeTurn()
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.last
    this.last = promise
    await (this.turn ??= takeTurn())
    await before
    return resolve
  }

  /** Tears everything down once: after the last test, or at the end if no test of the file ran. */
  async end(): Promise<void> {
    try {
      await allOf(this.takeDown.splice(0))
    } finally {
      const pass = await this.turn
      pass?.()
    }
  }

  /** The title that ava gives a test of a file with its own process. */
  titled(title: string): string {
    const path = this.name.replace(/^test\//, '').replace(/\.test\.ts$/, '')
    return `${path.replaceAll('/', ' › ')} › ${title}`
  }
}

const root = new URL('../../', import.meta.url)
let current = new SharingFile('')

const inTurn =
  (file: SharingFile, implementation: Implementation): Implementation =>
  async (t, ...given) => {
    file.open += 1
    // By then ava has called all tests of the process.
    await setImmediate()
    const pass = await file.begin()
    noteProgress('begun', t.title)
    // Teardowns run in reverse order, so this one runs last.
    t.teardown(async () => {
      file.open -= 1
      try {
        if (file.open === 0) await file.end()
      } finally {
        noteProgress('ended', t.title)
        pass()
      }
    })
    try {
      return await implementation(t, ...given)
    } catch (error) {
      throw traceable(error)
    }
  }

/** ava's report breaks off at an error without a stack trace, such as some of fetch's errors. */
function traceable(error: unknown): unknown {
  if (!(error instanceof Error) || error.stack?.includes('\n    at ')) return error
  return new Error(error.message, { cause: error })
}

/** `after` runs after all tests of the process have passed, so it can check them, but tears nothing down. */
const after = Object.assign(((...given: Parameters<typeof ava.after>) => ava.after(...given)) as typeof ava.after, {
  always: (hook: () => unknown): void => void current.takeDown.push(hook),
})

/** Declares a test with this function of ava. Its implementation, which may be any argument, waits for its turn. */
function declare(by: unknown, given: unknown[]): void {
  const file = current
  file.declared += 1
  const inFile = given.map((one, index) => {
    if (index === 0 && typeof one === 'string') return file.titled(one)
    return typeof one === 'function' ? inTurn(file, one as Implementation) : one
  })
  Reflect.apply(by as () => void, undefined, inFile)
}

/** Refuses calls that would affect all files of the process and could silently skip half of the tests. */
function refuse(name: string | symbol): never {
  throw new Error(`test.${String(name)} is for a file that has a process of its own (timedFiles).`)
}

/**
 * `test(title, implementation)`, `test.serial`, `test.skip`, `test.after`, and `test.after.always(hook)`, which runs at the
 * end of the file. In ava, serial tests run before all others of the process; here only the tests of their file wait.
 */
const test = new Proxy(ava, {
  apply: (_target, _self, given: unknown[]) => declare(ava, given),
  get(target, name) {
    if (name === 'after') return after
    if (name === 'skip') return (...given: unknown[]) => declare(ava.skip, given)
    if (name === 'serial')
      return (...given: unknown[]) => {
        current.isSerial = true
        declare(ava, given)
      }
    return name === 'meta' ? (Reflect.get(target, name) as unknown) : refuse(name)
  },
})

/** Loads test files by their paths inside the project. Imports of ava resolve to this module. */
export async function loadInTurns(files: string[]): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && context.parentURL !== import.meta.url
        ? { url: import.meta.url, shortCircuit: true }
        : next(specifier, context),
  })
  for (const path of files) {
    const file = (current = new SharingFile(path))
    noteProgress('begun', path)
    await import(new URL(path, root).href)
    noteProgress('ended', path)
    if (file.declared === 0) throw new Error(`${path} has no test.`)
    ava.after.always(() => file.end())
  }
}

export { test as default }
