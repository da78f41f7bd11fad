import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import type { PostgresOwner } from './postgres/postgres-owner.ts'

/** The permissions of the group and all other users. */
const ofOthers = 0o077

/**
 * Makes a folder that only our user may enter, and makes this process and its children write files for our user alone.
 * If Postgres runs as another user, its group may pass through the folder but not list it.
 */
export function makePrivateFolder(folder: string, postgres: PostgresOwner): void {
  process.umask(process.umask() | ofOthers)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (postgres) chownSync(folder, process.getuid!(), postgres.gid)
  chmodSync(folder, postgres ? 0o710 : 0o700)
}
