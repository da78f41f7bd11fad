import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessRecord } from '../../bin/local/process-record.ts'
import type { TestServerOptions } from '../../bin/local/test/test-servers.ts'

/** The only place of the tests that reads the environment: where bin/test.ts has put the servers. */
function given(name: string): string {
  const value = process.env[`SWITCHYARD_TEST_${name}`]
  if (value === undefined) throw new Error('Run the tests with npm test -- <file>')
  return value
}

/** The servers that all tests share. Throws a sentence if the tests run without bin/test.ts. */
export const sharedServers = () => ({
  postgres: given('POSTGRES'),
  template: given('TEMPLATE'),
  temporal: given('TEMPORAL'),
  temporalBinary: given('TEMPORAL_BINARY'),
  /** File of the workflow code as workers run it. */
  bundle: given('BUNDLE'),
  /** Folder of an authority and a server certificate for localhost, 127.0.0.1 and ::1. */
  certificates: given('CERTIFICATES'),
})

/** Where it is noted how long each file of tests took; undefined for a file that is run without bin/test.ts. */
export const durationsLog = (): string | undefined => process.env['SWITCHYARD_TEST_DURATIONS']

/** Where processes that run tests of several files write what they begin and end; undefined outside of `npm test`. */
export const underWayLog = (): string | undefined => process.env['SWITCHYARD_TEST_UNDER_WAY']

let made = 0

/** A new, empty folder that goes with the run. */
export function ownFolder(): string {
  made += 1
  const folder = join(given('FOLDER'), `own-${process.pid}-${made}`)
  mkdirSync(folder)
  return folder
}

/** What a test needs to start servers or processes of its own; all of it is ended and thrown away with the run. */
export function ownServerOptions(): TestServerOptions {
  const record = createProcessRecord(join(given('FOLDER'), 'processes'))
  return { folder: ownFolder(), record, environment: ownEnvironment() }
}

const inThisThread = 'TEMPORAL_DEBUG'

/**
 * From now on workers in this process run workflows in its own thread, which costs half as much. Those that are processes
 * do as in production.
 */
export function runWorkflowsHere(): void {
  process.env[inThisThread] = 'true'
}

/** The environment of this process, to hand to a process that the test starts. */
export function ownEnvironment(): Record<string, string> {
  const { [inThisThread]: _, ...own } = process.env
  return Object.fromEntries(Object.entries(own).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
