import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for what a bench writes, deleted when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  letPostgresIn(folder)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** If we are root, Postgres runs as another user, which must get through. */
export const letPostgresIn = (folder: string): void => chmodSync(folder, 0o711)
