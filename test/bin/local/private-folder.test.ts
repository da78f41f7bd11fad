import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

/** A process of its own, because the mask of new files is the process's. */
function make(folder: string, then = '') {
  const file = new URL('../../../bin/local/private-folder.ts', import.meta.url).href
  const code = `import { makePrivateFolder } from ${JSON.stringify(file)}
    import { execFileSync } from 'node:child_process'
    process.umask(0o022)
    makePrivateFolder(${JSON.stringify(folder)}, undefined)
    ${then}`
  return promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { cwd: tmpdir() })
}

const modeOf = (...path: string[]): number => statSync(join(...path)).mode & 0o777

test('a new data folder is for its user alone, and so is what programs write into it', async (t) => {
  const above = mkdtempSync(join(tmpdir(), 'switchyard-'))
  t.teardown(() => rmSync(above, { recursive: true }))
  const folder = join(above, 'data')
  await make(
    folder,
    `execFileSync('sh', ['-c', 'mkdir logs; echo x >temporal.db'], { cwd: ${JSON.stringify(folder)} })`,
  )
  t.deepEqual([modeOf(folder), modeOf(folder, 'logs'), modeOf(folder, 'temporal.db')], [0o700, 0o700, 0o600])
  chmodSync(folder, 0o755)
  await make(folder)
  t.is(modeOf(folder), 0o700, 'one that others may enter is closed')
})
