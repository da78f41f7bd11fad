import { mkdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { createControl } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { embeddedPostgres, ensureDatabase } from '../../bin/local/postgres/postgres.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { onServer } from '../../test/helpers/database.ts'
import { letPostgresIn, record } from './folder.ts'

/**
 * The Postgres documentation's recommendations for a server with much data, scaled to this machine: an eighth of its
 * memory, because the load runs here too, and fewer checkpoints. The planner keeps its defaults.
 */
const settings: Record<string, string> = {
  shared_buffers: `${Math.max(128, Math.floor(totalmem() / 8 / 2 ** 20))}MB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  maintenance_work_mem: '512MB',
}

/** A Postgres that waits for its disk at every commit, as in production, and keeps its data in the folder. */
export async function openStore(folder: string) {
  mkdirSync(folder, { recursive: true })
  letPostgresIn(folder)
  const { environment } = readLocalConfig()
  const [port = 0] = await freePorts(1)
  const postgres = await embeddedPostgres({ folder, port, password: 'bench', environment })
  const control = createControl(postgres.program, record)
  await control.start()
  const isNew = await apply(postgres.url('postgres'))
  if (isNew) {
    await control.stop()
    await control.start()
  }
  return {
    /** The URL of a database, which is created if it does not exist. */
    async database(name: string): Promise<string> {
      await ensureDatabase(postgres.url('postgres'), name)
      return postgres.url(name)
    },
    close: () => control.stop(),
  }
}

/** Returns whether they were not in effect yet. */
const apply = (url: string): Promise<boolean> =>
  onServer(url, async (client) => {
    const { rows } = await client.query(
      `select setting from pg_settings where name = 'max_wal_size' and setting = '8192'`,
    )
    if (rows.length > 0) return false
    for (const [name, value] of Object.entries(settings)) await client.query(`alter system set ${name} = '${value}'`)
    return true
  })
