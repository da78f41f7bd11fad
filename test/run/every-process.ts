import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { noteProgress } from './progress.ts'
import { isGroupFile } from './group-files.ts'

/**
 * ava loads this into every test process before the tests. Files that share a process record their tests themselves.
 */
const file = relative(process.cwd(), fileURLToPath(test.meta.file))
if (!isGroupFile(file)) {
  noteProgress('begun', file)
  process.once('exit', () => noteProgress('ended', file))
}
