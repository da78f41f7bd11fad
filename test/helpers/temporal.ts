import { randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { ownServerOptions, sharedServers } from './servers.ts'

/** The address of the Temporal server that all tests share. */
export const temporalAddress = (): string => sharedServers().temporal

/** A task queue that no other test uses, named after the test for the Temporal UI. */
export const taskQueueFor = (t: ExecutionContext): string =>
  `${t.title.replaceAll(/\W+/g, '-').slice(0, 60)}-${randomBytes(4).toString('hex')}`

/** A Temporal server for this test, which can stop and start it. It keeps its data and its address. */
export async function startOwnTemporal(t: ExecutionContext) {
  const { testTemporal } = await import('../../bin/local/test/test-servers.ts')
  const options = ownServerOptions()
  const { control, address } = await testTemporal(options, sharedServers().temporalBinary, true)
  t.teardown(() => control.kill())
  const files = async (folder: string) => {
    const found = (await readdir(folder)).filter((name) => name.startsWith('temporal-') && name.includes('.db'))
    if (found.length === 0) throw new Error(`${folder} has no data of Temporal.`)
    return found
  }
  /** Deletes all its data. Call it while the server is stopped. */
  const forget = async () => {
    await Promise.all((await files(options.folder)).map((name) => rm(join(options.folder, name))))
  }
  const copyAll = async (from: string, to: string) => {
    for (const name of await files(from)) await cp(join(from, name), join(to, name))
  }
  const kept = join(options.folder, 'kept')
  /** Copies all its data aside. Call it while the server is stopped. */
  const keep = async () => {
    await mkdir(kept)
    await copyAll(options.folder, kept)
  }
  /** Puts the copy in the place of its data. Call it while the server is stopped. */
  const bringBack = async () => {
    await forget()
    await copyAll(kept, options.folder)
  }
  return { address, start: control.start, stop: control.stop, kill: control.kill, forget, keep, bringBack }
}
