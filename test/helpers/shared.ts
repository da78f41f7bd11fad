import type { ExecutionContext, TestFn } from 'ava'
import { allOf } from './all-of.ts'
import { startPlatform, type Platform, type PlatformOptions } from './platform.ts'

/**
 * The platforms that the tests of a process share, one of each kind, started on first use. The product is made for many
 * tenants: a test that has its own owner (`newOwner`) needs no platform of its own, unless it stops something, sets a clock
 * or a setting, or counts the rows of whole tables.
 */
const presets = {
  /** Carries runs out, and soon resumes what waits. */
  working: { worker: true, env: { RECONCILE_SECONDS: '1' } },
  /** Has no worker: runs stay queued, and a test carries out what it needs. */
  idle: {},
  /** Has no worker, and cannot reach Temporal. */
  cutOff: { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } },
} satisfies Record<string, PlatformOptions>

type Preset = keyof typeof presets

/** A running platform, how many files will use it yet, and how it is taken down. */
interface Shared {
  files: number
  platform?: Promise<Platform>
  teardowns: (() => unknown)[]
}

const running = new Map<Preset, Shared>()

/** Declares that the tests of a file use a platform of this kind. It is stopped after the last test of the last such file. */
export function sharedPlatform(test: TestFn, preset: Preset = 'working'): () => Promise<Platform> {
  const shared = running.get(preset) ?? { files: 0, teardowns: [] }
  running.set(preset, shared)
  shared.files += 1
  test.after.always(async () => {
    shared.files -= 1
    if (shared.files > 0) return
    delete shared.platform
    await allOf(shared.teardowns.splice(0).toReversed())
  })
  return () => (shared.platform ??= start(preset, shared))
}

function start(preset: Preset, { teardowns }: Shared): Promise<Platform> {
  // A platform needs only these two of a test's context.
  const context = { title: `shared ${preset}`, teardown: (work: () => unknown) => void teardowns.push(work) }
  return startPlatform(context as unknown as ExecutionContext, presets[preset])
}
