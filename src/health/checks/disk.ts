import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../database/database.ts'
import { failing, fine, warning, worst, type Check, type Finding } from '../finding.ts'

/** The shares of a disk that must be free: below the first, look soon; below the second, Postgres may stop. */
const [low, full] = [0.2, 0.05]

/**
 * Free space of the folders that can be seen from here: those given, and Postgres's data folder if it is on this
 * machine.
 */
export const disk: Check<{ database: Database; folders: readonly string[] }> = {
  name: 'disk',
  async look({ database, folders }) {
    const data = await folderOfPostgres(database).catch(() => undefined)
    const seen = await oneOfEachDisk([...folders, ...(data === undefined ? [] : [data])])
    const findings = await Promise.all(seen.map(judge))
    const all = findings.map(({ message }) => message).join(' ')
    return worst(findings, fine(all || "Postgres's disk cannot be seen from this machine."))
  },
}

async function oneOfEachDisk(folders: string[]): Promise<string[]> {
  const disks = new Map<number, string>()
  for (const folder of folders) disks.set((await stat(folder)).dev, folder)
  return [...disks.values()]
}

async function judge(folder: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const share = bavail / blocks
  const message = `${percent(share)} (${gigabytes(bavail * bsize)}) of the disk of ${folder} are free.`
  if (share < full) return failing(message, `${fix} Postgres stops when the disk is full.`)
  return share < low ? warning(message, fix) : fine(message)
}

const fix = 'Enlarge the disk, delete other files, or lower RUN_RETENTION_DAYS. See docs/operate/storage.md.'

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
const gigabytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`

interface Place {
  folder: string | null
  address: string | null
}

/** Postgres's data folder; undefined if Postgres is on another machine or in a container. */
async function folderOfPostgres(database: Database): Promise<string | undefined> {
  const { rows } = await database.raw<{ rows: [Place] }>(placeStatement)
  const [{ folder, address }] = rows
  const isHere = address === null || /^(127\.|::1)/.test(address)
  return isHere && folder !== null && existsSync(join(folder, 'PG_VERSION')) ? folder : undefined
}

/** Only a superuser or a member of this role may know the folder. */
const placeStatement = `
  select case when pg_has_role('pg_read_all_settings', 'usage') then current_setting('data_directory') end as folder,
         host(inet_server_addr()) as address`
