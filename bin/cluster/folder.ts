import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'
import { releaseLock, takeLock } from '../local/lock.ts'
import { postgresOwner, reachableFolder } from '../local/postgres/postgres-owner.ts'
import { makePrivateFolder } from '../local/private-folder.ts'
import { createProcessRecord, endRecorded } from '../local/process-record.ts'
import { startWarden } from '../local/warden.ts'
import { replaceFile } from '../local/write-file.ts'

const makeSecrets = fileURLToPath(new URL('../../deploy/make-secrets.sh', import.meta.url))

/**
 * Opens the folder with the state of a cluster, whose processes end with this process. With `fresh`, deletes what an
 * earlier cluster left there. Throws if a cluster runs in it.
 */
export async function openFolder(folder: string, fresh: boolean, environment: Record<string, string>) {
  const owner = postgresOwner()
  makePrivateFolder(folder, owner)
  const lock = join(folder, 'cluster.lock')
  const holder = takeLock(lock)
  if (holder) throw new Error(`A cluster already runs in ${folder}. Stop it with: kill ${holder.pid}`)
  const close = (): void => releaseLock(lock)
  try {
    const record = createProcessRecord(join(folder, 'processes'))
    await endRecorded(record.folder)
    const home = reachableFolder(folder, owner)
    if (fresh) removeState(folder, home)
    startWarden(record.folder, environment)
    return { owner, home, record, close }
  } catch (error) {
    close()
    throw error
  }
}

function removeState(folder: string, home: string): void {
  const names = ['secrets', 'certificates', 'logs', 'members', 'sites', 'admin.json', 'admin.json.new', 'caddy']
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true })
  for (const name of ['postgres', 'pgbouncer']) rmSync(join(home, name), { recursive: true, force: true })
}

/** The secrets of docker-compose.yml, made by the same script. */
export async function openSecrets(folder: string, environment: Record<string, string>) {
  const secrets = join(folder, 'secrets')
  const made = await execa('sh', [makeSecrets, secrets], { env: environment, extendEnv: false, reject: false })
  if (made.failed) throw new Error(`deploy/make-secrets.sh failed. It needs openssl.\n${made.stderr}`)
  return { folder: secrets, read: (name: string) => readFileSync(join(secrets, name), 'utf8').trim() }
}

export type Secrets = Awaited<ReturnType<typeof openSecrets>>

/** A file with a database's URL for one process. Returns its path. */
export function writeDatabaseUrl(folder: string, name: string, url: string): string {
  const own = join(folder, 'members')
  mkdirSync(own, { recursive: true })
  chmodSync(own, 0o700)
  const file = join(own, `${name}.database_url`)
  replaceFile(file, `${url}\n`, 0o600)
  return file
}
