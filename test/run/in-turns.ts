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
 * Replaces `ava` in files that share a process. ava begins all tests of a process at once, which suits one file but not
 * ten: deadlines would pass while others compute. Here few tests run at a time; the others wait their turn. And ava
 * takes down what a file shares when the process ends. Here that happens after the file's last test, because whatever
 * stays up polls and slows the others down.
 */
const turns = new Turns(3, 2)

type Implementation = (t: ExecutionContext, ...given: unknown[]) => unknown

/** A file whose tests take turns with those of other files. */
class SharingFile implements Asker {
  /** How many of its tests have not ended. */
  left = 0
  /** When the first of them began, in milliseconds. */
  began: number | undefined
  readonly takeDown: (() => unknown)[] = []
  /** Resolves when all serial tests that have begun so far have ended. */
  serial: Promise<unknown> = Promise.resolve()
  /** Whether it has tests that cannot run on this machine. */
  skips = false
  readonly isSlow: boolean
  readonly place: number
  private readonly name: string

  /** Files with a lower place run, and are taken down, earlier. */
  constructor(name: string, place: number) {
    this.name = name
    this.place = place
    this.isSlow = slowFiles.includes(name)
  }

  /** Takes everything down once: after the last test, or at the end if not all tests of the file ran. */
  async end(): Promise<void> {
    if (this.began !== undefined) {
      noteDuration(durationsLog(), { file: this.name, seconds: (performance.now() - this.began) / 1000 })
    }
    this.began = undefined
    await allOf(this.takeDown.splice(0))
  }

  /** The title that ava gives a test of a file with its own process. */
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
    // By then ava has called all tests of the process, including this file's serial ones, which come first.
    await setImmediate()
    await (before ?? file.serial)
    await turns.take(file)
    file.began ??= performance.now()
    noteUnderWay(underWayLog(), 'begun', t.title)
    // Teardowns run in reverse order, so this one runs last.
    t.teardown(async () => {
      file.left -= 1
      try {
        if (file.left === 0) await file.end()
      } finally {
        noteUnderWay(underWayLog(), 'ended', t.title)
        end()
        // The file's next serial test asks before another test gets the turn.
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

/** Queues a serial test after the file's earlier ones; resolves when they are over. */
function oneByOne(file: SharingFile, over: Promise<void>): Promise<unknown> {
  const before = file.serial
  file.serial = over
  return before
}

/** ava's report breaks off at an error without a stack trace, such as some of fetch's. */
function traceable(error: unknown): unknown {
  if (!(error instanceof Error) || error.stack?.includes('\n    at ')) return error
  return new Error(error.message, { cause: error })
}

/** `after` runs when all tests of the process have passed, so it may look back on them; it takes nothing down. */
const after = Object.assign(((...given: Parameters<typeof ava.after>) => ava.after(...given)) as typeof ava.after, {
  always: (hook: () => unknown): void => void current.takeDown.push(hook),
})

/** Declares a test whose implementation, whichever argument that is, waits for its turn. */
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

/** A test for which this machine lacks a program: listed, not run. */
function skip(title: string, implementation: Implementation): void {
  current.skips = true
  ava.skip(current.titled(title), implementation)
}

/** Refuses what would affect all files of the process: a skipped third of the tests would go unnoticed. */
function refuse(name: string | symbol): never {
  throw new Error(`test.${String(name)} is for a file that has a process of its own (test/run/unusual-files.ts).`)
}

/**
 * `test(title, implementation)`, `test.serial`, `test.after`, and `test.after.always(hook)`, which runs at the end of
 * the file. In ava, serial tests run before all others of the process, one at a time; here only within their file.
 */
const test = new Proxy(ava, {
  apply: (_target, _self, given: unknown[]) => declare(given, false),
  get(target, name) {
    if (name === 'after') return after
    if (name === 'skip') return skip
    if (name === 'serial') return (...given: unknown[]) => declare(given, true)
    return name === 'meta' ? (Reflect.get(target, name) as unknown) : refuse(name)
  },
})

/** Loads test files, by their paths inside the project. Imports of ava resolve to this module. */
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
    if (file.left === 0 && !file.skips) throw new Error(`${path} has no test.`)
    ava.after.always(() => file.end())
  }
}

export { test as default }
