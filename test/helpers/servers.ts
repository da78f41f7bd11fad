import { promiseHooks } from 'node:v8'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessRecord } from '../../bin/local/process-record.ts'
import type { TestServerOptions } from '../../bin/local/test/test-servers.ts'

/** The only place in the tests that reads the environment, where `npm test` puts the servers' addresses. */
function given(name: string): string {
  const value = process.env[`SWITCHYARD_TEST_${name}`]
  if (value === undefined) throw new Error('Run the tests with npm test -- <file>')
  return value
}

/** The servers that all tests share. Throws a sentence if the tests run without `npm test`. */
export const sharedServers = () => ({
  postgres: given('POSTGRES'),
  template: given('TEMPLATE'),
  temporal: given('TEMPORAL'),
  temporalBinary: given('TEMPORAL_BINARY'),
  /** The file with the bundled workflow code. */
  bundle: given('BUNDLE'),
  /** The folder of an authority and a server certificate for localhost, 127.0.0.1 and ::1. */
  certificates: given('CERTIFICATES'),
})

/** The progress log; undefined without `npm test`. */
export const progressLog = (): string | undefined => process.env['SWITCHYARD_TEST_PROGRESS']

let made = 0

/** A new folder that is removed with the run. */
export function ownFolder(): string {
  made += 1
  const folder = join(given('FOLDER'), `own-${process.pid}-${made}`)
  mkdirSync(folder)
  return folder
}

/** The inputs for a test's own servers or processes, all of which end with the run. */
export function ownServerOptions(): TestServerOptions {
  const record = createProcessRecord(join(given('FOLDER'), 'processes'))
  return { folder: ownFolder(), record, environment: ownEnvironment() }
}

const inThisThread = 'TEMPORAL_DEBUG'

/**
 * Makes workers in this process run workflows in its main thread, at half the cost. Workers in other processes behave
 * as in production, where a promise hook for stack traces affects only the workflows' thread. Here it would affect
 * every promise of the process, once more for each worker.
 */
export function runWorkflowsHere(): void {
  process.env[inThisThread] = 'true'
  promiseHooks.createHook = () => () => {}
}

/** The environment of this process, for a process that the test starts. */
export function ownEnvironment(): Record<string, string> {
  const { [inThisThread]: _, ...own } = process.env
  return Object.fromEntries(Object.entries(own).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
