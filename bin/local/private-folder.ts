import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresOwner } from './postgres/postgres-owner.ts'

/** What the group and all other users may do. */
const ofOthers = 0o077

/**
 * Makes a folder that only our user may enter, and sees to it that what this process and its children write from now on
 * is for our user alone. If Postgres runs as another user, its group may pass through, but not list the folder. A folder
 * of an earlier version is tightened with everything of ours in it: others may hold a file open, or a hard link.
 */
export function makePrivateFolder(folder: string, postgres: PostgresOwner): void {
  process.umask(process.umask() | ofOthers)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) tighten(join(folder, name))
  if (postgres) chownSync(folder, process.getuid!(), postgres.gid)
  chmodSync(folder, postgres ? 0o710 : 0o700)
}

/** A folder that nobody else may enter protects what is in it. Links may lead anywhere, so they are left alone. */
function tighten(path: string): void {
  const found = lstatSync(path)
  const isOpen = (found.mode & ofOthers) !== 0
  if (!isOpen || found.isSymbolicLink() || found.uid !== process.getuid?.()) return
  chmodSync(path, found.mode & 0o7700)
  if (found.isDirectory()) for (const name of readdirSync(path)) tighten(join(path, name))
}
