import { registerHooks } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import ava, { type ExecutionContext } from 'ava'
import { allOf } from '../helpers/all-of.ts'
import { durationsLog, underWayLog } from '../helpers/servers.ts'
import { noteDuration } from './durations.ts'
import { noteUnderWay } from './under-way.ts'
import { Turns, type Asker } from './turns.ts'
import { slowFiles } from './unusual-files.ts'

/**
 * Stands for `ava` in files that share a process. ava begins all tests of a process at once, which is right for one file
 * and too much for ten: deadlines would pass while others compute. Here few run at a time; the others wait their turn.
 * And ava takes down what is shared within a file when the process ends; here that happens after the file's last test,
 * because what is left standing polls and is in the way of all others.
 */
const turns = new Turns(3, 2)

type Implementation = (t: ExecutionContext, ...given: unknown[]) => unknown

/** A file whose tests take turns with those of others. */
class SharingFile implements Asker {
  /** How many of its tests are still to end. */
  left = 0
  /** When the first of them began, in milliseconds. */
  began: number | undefined
  readonly takeDown: (() => unknown)[] = []
  /** Resolves when those of its serial tests have ended that were begun so far. */
  serial: Promise<unknown> = Promise.resolve()
  readonly isSlow: boolean
  readonly place: number
  private readonly name: string

  /** What comes earlier is gone through earlier, and taken down. */
  constructor(name: string, place: number) {
    this.name = name
    this.place = place
    this.isSlow = slowFiles.includes(name)
  }

  /** What is to be taken down is taken down once: after the last test, or at the end if not all tests of the file ran. */
  async end(): Promise<void> {
    if (this.began !== undefined) {
      noteDuration(durationsLog(), { file: this.name, seconds: (performance.now() - this.began) / 1000 })
    }
    this.began = undefined
    await allOf(this.takeDown.splice(0))
  }

  /** As ava names the tests of a file that has a process of its own. */
  titled(title: string): string {
    const path = this.name.replace(/^test\//, '').replace(/\.test\.ts$/, '')
    return `${path.replaceAll('/', ' › ')} › ${title}`
  }
}

const root = new URL('../../', import.meta.url)
let current = new SharingFile('', 0)

function inTurn(file: SharingFile, implementation: Implementation, isSerial: boolean): Implementation {
  file.left += 1
  return async (t, ...given) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const before = isSerial ? oneByOne(file, over) : undefined
    // ava has called all tests of the process by then, the serial ones of this file among them, which come first.
    await setImmediate()
    await (before ?? file.serial)
    await turns.take(file)
    file.began ??= performance.now()
    noteUnderWay(underWayLog(), 'begun', t.title)
    // The first to be asked for is the last to be done.
    t.teardown(async () => {
      file.left -= 1
      try {
        if (file.left === 0) await file.end()
      } finally {
        noteUnderWay(underWayLog(), 'ended', t.title)
        end()
        // The next of its serial tests asks before the turn is given to another.
        await setImmediate()
        turns.pass(file)
      }
    })
    try {
      return await implementation(t, ...given)
    } catch (error) {
      throw traceable(error)
    }
  }
}

/** Puts a serial test behind those of its file that were begun before it; resolves when they are over. */
function oneByOne(file: SharingFile, over: Promise<void>): Promise<unknown> {
  const before = file.serial
  file.serial = over
  return before
}

/** ava's report ends in the middle at an error that does not say where it comes from, as those of fetch may not. */
function traceable(error: unknown): unknown {
  if (!(error instanceof Error) || error.stack?.includes('\n    at ')) return error
  return new Error(error.message, { cause: error })
}

/** `after` comes when all tests of the process have passed, as a look back on them may; it takes nothing down. */
const after = Object.assign(((...given: Parameters<typeof ava.after>) => ava.after(...given)) as typeof ava.after, {
  always: (hook: () => unknown): void => void current.takeDown.push(hook),
})

/** A test whose implementation, whichever of the arguments it is, waits for its turn. */
const declare = (given: unknown[], isSerial: boolean): unknown => {
  const file = current
  return Reflect.apply(
    ava,
    undefined,
    given.map((one, index) => {
      if (index === 0 && typeof one === 'string') return file.titled(one)
      return typeof one === 'function' ? inTurn(file, one as Implementation, isSerial) : one
    }),
  )
}

/** What ava would do for all files of the process, or to them: nobody would notice that a third of the tests is left out. */
function refuse(name: string | symbol): never {
  throw new Error(`test.${String(name)} is for a file that has a process of its own (test/run/unusual-files.ts).`)
}

/**
 * `test(title, implementation)`, `test.serial`, `test.after`, and `test.after.always(hook)`, which is for the end of the
 * file. ava would run serial tests before all others of the process, one at a time; here they are so in their file only.
 */
const test = new Proxy(ava, {
  apply: (_target, _self, given: unknown[]) => declare(given, false),
  get(target, name) {
    if (name === 'after') return after
    if (name === 'serial') return (...given: unknown[]) => declare(given, true)
    return name === 'meta' ? (Reflect.get(target, name) as unknown) : refuse(name)
  },
})

/** Loads files of tests, by their paths inside the project. Whichever of their code loads ava gets this module in its place. */
export async function loadInTurns(files: string[]): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && context.parentURL !== import.meta.url
        ? { url: import.meta.url, shortCircuit: true }
        : next(specifier, context),
  })
  for (const [place, path] of files.entries()) {
    const file = (current = new SharingFile(path, place))
    noteUnderWay(underWayLog(), 'begun', path)
    await import(new URL(path, root).href)
    noteUnderWay(underWayLog(), 'ended', path)
    if (file.left === 0) throw new Error(`${path} has no test.`)
    ava.after.always(() => file.end())
  }
}

export { test as default }
