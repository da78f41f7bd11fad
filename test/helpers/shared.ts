import type { ExecutionContext, TestFn } from 'ava'
import { allOf } from './all-of.ts'
import { startPlatform, type Platform, type PlatformOptions } from './platform.ts'

/**
 * The platforms that the tests of a process share, one of each kind, started on first use. The product is made for
 * many tenants. A test with its own owner (`newOwner`) needs no platform of its own, unless it stops something, sets a
 * clock or a setting, or counts the rows of whole tables.
 */
const presets = {
  /** Has a worker, and resumes waiting runs quickly. */
  working: { worker: true, env: { RECONCILE_SECONDS: '1' } },
  /** Has no worker. Runs stay queued, and a test runs what it needs. */
  idle: {},
  /** Has no worker and cannot reach Temporal. */
  cutOff: { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } },
} satisfies Record<string, PlatformOptions>

type Preset = keyof typeof presets

/** A running platform, the number of files that still need it, and its teardown. */
interface Shared {
  files: number
  platform?: Promise<Platform>
  teardowns: (() => unknown)[]
}

const running = new Map<Preset, Shared>()

/**
 * Declares that the tests of a file use a platform of this kind. It stops after the last test of the last such file.
 */
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
  // A platform needs only these two members of a test's context.
  const context = { title: `shared ${preset}`, teardown: (work: () => unknown) => void teardowns.push(work) }
  return startPlatform(context as unknown as ExecutionContext, presets[preset])
}
