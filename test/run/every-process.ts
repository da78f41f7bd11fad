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

/**
 * ava's report breaks off at an error whose stack has no line outside Node. Such a rejection, for example of a fetch that
 * nobody awaits, gets a line that names the file.
 */
process.on('unhandledRejection', (reason) => {
  if (reason instanceof Error) reason.stack = `${reason.stack ?? reason.message}\n    at a promise of ${file}:1:1`
})
