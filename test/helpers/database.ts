import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { Client } from 'pg'
import { ownServerOptions, sharedServers } from './servers.ts'

/** A migrated, empty database for this test, dropped at its end. */
export async function createTestDatabase(t: ExecutionContext): Promise<{ url: string }> {
  const { url, drop } = await openTestDatabase()
  t.teardown(drop)
  return { url }
}

/** A database without a schema for this test, dropped at its end. */
export async function createEmptyDatabase(t: ExecutionContext): Promise<{ url: string }> {
  const { url, drop } = await openTestDatabase('template0')
  t.teardown(drop)
  return { url }
}

/**
 * A migrated database for a whole file, for its `before` hook, which has no teardown. Call `drop` in `after.always`.
 */
export async function openTestDatabase(
  template = sharedServers().template,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const { postgres } = sharedServers()
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(postgres, (client) => cloneTemplate(client, name, template))
  const url = new URL(postgres)
  url.pathname = `/${name}`
  const drop = () => onServer(postgres, (client) => client.query(`drop database if exists ${name} with (force)`))
  return { url: url.href, drop: async () => void (await drop()) }
}

/** A Postgres server for this test, with one migrated database. The test can stop and start it. */
export async function startOwnPostgres(t: ExecutionContext) {
  const { testPostgres } = await import('../../bin/local/test/test-servers.ts')
  const { control, server } = await testPostgres(ownServerOptions(), 'switchyard')
  t.teardown(() => control.kill())
  return { url: server.url('switchyard'), start: control.start, stop: control.stop, kill: control.kill }
}

/**
 * A file copy is cheapest if the data is in memory (see makeTestFolder). 55006 is object_in_use: something, for
 * example autovacuum, is connected to the template.
 */
async function cloneTemplate(client: Client, name: string, template: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`create database ${name} template ${template} strategy file_copy`)
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55006' || tries === 20) throw error
      await wait(100)
    }
  }
}

/** Connects for the duration of the work. */
export async function onServer<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
