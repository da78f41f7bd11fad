import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { ConfigError } from '../../../src/config/environment.ts'

/** A folder of the test's own with these files. */
export function folderWith(t: ExecutionContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 })
  return folder
}

/** A file with this text, or with this value as JSON. */
export const fileWith = (t: ExecutionContext, content: unknown): string =>
  join(folderWith(t, { file: typeof content === 'string' ? content : JSON.stringify(content) }), 'file')

/** What is wrong with settings that cannot be read. */
export const problemsIn = (t: ExecutionContext, read: () => unknown): string[] =>
  t.throws(read, { instanceOf: ConfigError })?.problems ?? []
