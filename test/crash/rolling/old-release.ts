import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { execa } from '../../../bin/execa.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The release before this one: the last commit before migrations only add, and before PgBouncer worked. */
export const previousRelease = '67a7f258'

/** The code of a commit in a folder of its own, with our packages. Throws if this clone does not have the commit. */
export async function codeOf(t: ExecutionContext, commit: string): Promise<string> {
  const git = (args: string[]) => execa('git', args, { cwd: root, reject: false })
  if ((await git(['cat-file', '-e', `${commit}^{commit}`])).exitCode !== 0)
    throw new Error(`This clone does not have the commit ${commit}. Get it with: git fetch --unshallow`)
  const folder = await temporaryFolder(t)
  const archive = join(folder, 'code.tar')
  await execa('git', ['archive', '--output', archive, commit], { cwd: root })
  await execa('tar', ['-xf', archive, '-C', folder])
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Brings the database to the newest schema of the code in a folder. */
export async function migrateWith(folder: string | undefined, url: string): Promise<string> {
  const env = { DATABASE_URL: url }
  const { stdout } = await execa(process.execPath, ['bin/migrate.ts'], { cwd: folder ?? root, env })
  return stdout
}
