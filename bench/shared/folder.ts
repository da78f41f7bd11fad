import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProcessRecord } from '../../bin/local/process-record.ts'
import { startWarden } from '../../bin/local/warden.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'

/** If we are root, Postgres runs as another user, which must be able to pass through. */
export const letPostgresIn = (folder: string): void => chmodSync(folder, 0o711)

export const temporaryFolder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
letPostgresIn(temporaryFolder)

/** The servers of this benchmark. The warden ends them and deletes the folder, however the benchmark ends. */
export const record = createProcessRecord(join(temporaryFolder, 'processes'))
startWarden(record.folder, readLocalConfig().environment, [temporaryFolder])
