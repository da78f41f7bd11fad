import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

/** A folder of this test, removed at its end. */
export async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}
