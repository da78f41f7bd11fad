import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import type { PostgresOwner } from './postgres/postgres-owner.ts'

/** What the group and all other users may do. */
const ofOthers = 0o077

/**
 * Makes a folder that only our user may enter, and sees to it that what this process and its children write from now on
 * is for our user alone. If Postgres runs as another user, its group may pass through, but not list the folder.
 */
export function makePrivateFolder(folder: string, postgres: PostgresOwner): void {
  process.umask(process.umask() | ofOthers)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (postgres) chownSync(folder, process.getuid!(), postgres.gid)
  chmodSync(folder, postgres ? 0o710 : 0o700)
}
