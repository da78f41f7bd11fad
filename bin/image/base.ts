import { appendFileSync, chownSync, cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from '../execa.ts'

/** The user of the image's programs, as in the official Node images. */
export const nodeUser = 1000

/**
 * Makes a root like `node:<version>-bookworm-slim`: a minimal Debian, the user `node`, and this machine's Node and npm.
 * `debian` names an existing minimal Debian; without it, mmdebstrap makes one.
 */
export async function makeBase(folder: string, debian: string | undefined, npmCli: string): Promise<void> {
  if (debian === undefined) await execa('mmdebstrap', ['--quiet', '--variant=minbase', 'bookworm', folder])
  else await execa('cp', ['--archive', debian, folder])
  appendFileSync(join(folder, 'etc/passwd'), `node:x:${nodeUser}:${nodeUser}::/home/node:/bin/bash\n`)
  appendFileSync(join(folder, 'etc/group'), `node:x:${nodeUser}:\n`)
  const home = join(folder, 'home/node')
  mkdirSync(home)
  chownSync(home, nodeUser, nodeUser)
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'))
  // bin/npm-cli.js of the package.
  const npm = dirname(dirname(realpathSync(npmCli)))
  cpSync(npm, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'))
}
