import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Database } from '../database/database.ts'
import { dump, type Dumped } from './dump.ts'

/** A backup on disk. */
export interface BackupFile extends Dumped {
  bytes: number
}

/**
 * Writes a backup to a file that only our user can read. Under its name there is never an incomplete one: it is written
 * beside it, flushed to the disk, and renamed. Overwrites no file.
 */
export async function writeBackup(
  given: { database: Database; say?: (text: string) => void },
  path: string,
): Promise<BackupFile> {
  if (await exists(path)) throw new Error(`${path} exists. Choose another name.`)
  const partial = `${path}.partial`
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw sentence(error, partial)
  })
  try {
    const dumped = await dump(given, file.createWriteStream({ flush: true }))
    await rename(partial, path)
    await flushFolder(dirname(path))
    return { ...dumped, bytes: (await stat(path)).size }
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await file.close().catch(() => undefined)
  }
}

export const readBackup = (path: string) => createReadStream(path)

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The new name survives a crash only once its folder is on the disk. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function sentence(error: unknown, path: string): Error {
  const { code, message } = error as { code?: string; message: string }
  if (code !== 'EEXIST') return new Error(`Cannot write ${path}: ${message}`, { cause: error })
  return new Error(
    `${path} exists: another backup is being written, or one was interrupted. Delete it, and try again.`,
    {
      cause: error,
    },
  )
}
